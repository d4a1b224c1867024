import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocksOf } from '../install/blocks.ts'
import { boundToParent } from '../run/bound-to-parent.ts'
import type { Environment } from '../run/product.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
/** A Java virtual machine takes its time on a busy machine. */
const longest = 120_000

export interface Example {
  /** Where the site answers. */
  readonly app: string
  /** The same folder under another address of the site. */
  at(app: string): Example
  /** What the guide says under this mark; empty where it has none. */
  commands(mark: string): string
  /** Runs the blocks with this mark to their end. */
  run(mark: string): Promise<void>
  /** Runs the block with this mark, which starts the site, until it answers. */
  start(mark: string): Promise<{ stop(): Promise<void> }>
  /** Runs the block with this mark and gives each line that it prints to `onLine`; answers all once it has ended well. */
  watch(mark: string, onLine: (line: string) => void): Promise<string[]>
  remove(): void
}

interface Setting {
  issuer: string
  app: string
  /** Of the product, for its command line. */
  environment: Environment
}

/** What the guide calls `hufu`. */
function installCommand(folder: string): void {
  const command = join(folder, 'hufu')
  mkdirSync(folder)
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'apps/server/src/cli/cli.ts')}' "$@"\n`)
  chmodSync(command, 0o755)
}

async function answers(app: string): Promise<void> {
  for (let waited = 0; waited < longest; waited += 100) {
    if (await fetch(app).catch(() => undefined)) return
    await sleep(100)
  }
  throw new Error(`${app} does not answer`)
}

/** A copy of an example in a folder of its own. */
export function openExample(name: string, setting: Setting): Example {
  const folder = makeTemporaryFolder('example')
  const [home, bin] = [join(folder, name), join(folder, 'bin')]
  // A web server that root starts reads its pages as another user.
  chmodSync(folder, 0o755)
  cpSync(join(root, 'examples', name), home, {
    recursive: true,
    filter: (path) => !/node_modules|client\.(json|conf)|target|\.venv/.test(path.slice(root.length)),
  })
  installCommand(bin)
  return exampleIn(folder, name, setting)
}

/** Its addresses are those of this run; everything else is as the guide says. */
function exampleIn(folder: string, name: string, { issuer, app, environment }: Setting): Example {
  const [home, bin] = [join(folder, name), join(folder, 'bin')]
  const env = {
    ...process.env,
    ...environment,
    ISSUER: issuer,
    APP: app,
    PATH: [bin, process.env.PATH].join(delimiter),
  }
  const guide = join('examples', name, 'README.md')
  const bash = (commands: string, detached = false, output: 2 | 'pipe' = 2) =>
    spawn(...boundToParent('bash', ['-euo', 'pipefail', '-c', commands], 'SIGTERM'), {
      cwd: home,
      env,
      detached,
      stdio: ['ignore', output, 2],
    })
  const commands = (mark: string) =>
    blocksOf(guide, mark)
      .map((block) => block.commands)
      .join('\n')
  function demanded(mark: string): string {
    const found = commands(mark)
    if (!found) throw new Error(`${guide} has no block ${mark}`)
    return found
  }
  return {
    app,
    commands,
    at: (other) => exampleIn(folder, name, { issuer, app: other, environment }),
    async run(mark) {
      const [code] = await once(bash(demanded(mark)), 'exit')
      if (code !== 0) throw new Error(`ended with ${code}: ${demanded(mark)}`)
    },
    async start(mark) {
      const site = bash(demanded(mark), true)
      const gone = once(site, 'exit')
      await Promise.race([answers(app), gone.then(() => Promise.reject(new Error(`${name} ended`)))])
      return {
        async stop() {
          // bash and what it started.
          process.kill(-(site.pid ?? 0), 'SIGTERM')
          await gone
        },
      }
    },
    async watch(mark, onLine) {
      const program = bash(demanded(mark), false, 'pipe')
      const gone = once(program, 'exit')
      const lines: string[] = []
      if (!program.stdout) throw new Error('the output is not read')
      for await (const line of createInterface(program.stdout)) {
        lines.push(line)
        onLine(line)
      }
      const [code] = await gone
      if (code !== 0) throw new Error(`ended with ${code}: ${lines.join('\n')}`)
      return lines
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
