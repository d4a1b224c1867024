import { closeSync, cpSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree } from '../../tools/checks/tree-copy.ts'
import { artefact, type Build, buildIn } from '../../tools/run/build.ts'
import { type Environment, type Running, ready, runHufu } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'

/** One version of the product: that of this run, or the copy that stands for the next one. */
export interface Release {
  migrate(environment: Environment): Promise<void>
  serve(environment: Environment, port: number): Promise<Served>
  work(environment: Environment): Served
}

export interface Served {
  pid: number
  /** As a supervisor does it; how many seconds it took, and how it ended. */
  replaced(): Promise<{ seconds: number; code: number | null }>
  stop(): Promise<void>
}

function replaceable({ child, stop }: Running): Served {
  return {
    pid: child.pid ?? 0,
    stop,
    async replaced() {
      const began = performance.now()
      // One that has exited already reports how, too.
      const over = child.exitCode !== null || child.signalCode !== null
      const code = over
        ? Promise.resolve(child.exitCode)
        : new Promise<number | null>((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      return { code: await code, seconds: (performance.now() - began) / 1_000 }
    },
  }
}

export const thisRelease = (logFolder: string): Release => releaseOf(undefined, logFolder)

export function releaseOf(build: Build | undefined, logFolder: string): Release {
  const begin = (command: 'serve' | 'work' | 'migrate', environment: Environment, log: string): Running => {
    const file = openSync(join(logFolder, log), 'a')
    const running = runHufu(command, environment, [], file, build)
    closeSync(file)
    return running
  }
  return {
    async migrate(environment) {
      const { child } = begin('migrate', environment, 'migrate.log')
      const code = await new Promise((resolve) => child.once('exit', resolve))
      if (code !== 0) throw new Error(`hufu migrate ended with ${code}`)
    },
    async serve(environment, port) {
      const running = begin('serve', { ...environment, HUFU_PORT: String(port) }, `${port}.log`)
      await ready(`http://127.0.0.1:${port}`, running)
      return replaceable(running)
    },
    work: (environment) => replaceable(begin('work', environment, 'work.log')),
  }
}

export interface NextRelease extends Release {
  addMigration(name: string, sql: string): void
  remove(): void
}

interface Copy {
  build: Build
  remove(): void
}

function copyArtefact(from: string): Copy {
  const folder = makeTemporaryFolder('next')
  cpSync(from, folder, { recursive: true })
  return { build: buildIn(folder), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function copySources(): Copy {
  const { folder, remove } = copyTree()
  return { build: buildIn(folder), remove }
}

/** The next version: everything unchanged, plus the added migrations. */
export function nextRelease(logFolder: string): NextRelease {
  const { build, remove } = artefact ? copyArtefact(artefact) : copySources()
  return {
    ...releaseOf(build, logFolder),
    addMigration: (name, sql) => writeFileSync(join(build.migrations, name), sql),
    remove,
  }
}
