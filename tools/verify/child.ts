import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { boundToParent } from '../run/bound-to-parent.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/** Everything in full form and to its limits, and no second try of anything. */
function fullForm(more: Record<string, string>): NodeJS.ProcessEnv {
  const { HUFU_SHORT, CI, ...inherited } = process.env
  const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  return { ...inherited, PATH, HUFU_STRICT_LIMITS: '1', ...more }
}

export interface Child {
  /** Its exit code, once it has ended. */
  ended: Promise<number>
  /** Signals it and whatever it started. */
  signal(name: NodeJS.Signals): void
}

/** Starts a script of package.json, in a process group of its own. */
export function startScript(script: string, args: string[], environment: Record<string, string>): Child {
  const [program = '', ...own] = scripts[script]?.split(' ') ?? []
  // What it started in turn ends with it.
  const child = spawn(...boundToParent(program, [...own, ...args], 'SIGTERM'), {
    cwd: root,
    env: fullForm(environment),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
  return {
    ended,
    signal(name) {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name)
    },
  }
}
