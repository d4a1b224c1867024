import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copyTree } from '../tools/checks/tree-copy.ts'
import { type Environment, type Running, ready, run } from '../tools/run/product.ts'

/** The product as a folder holds it: the tree we stand in, or the copy that stands for the next version. */
export interface Release {
  migrate(environment: Environment): Promise<void>
  serve(environment: Environment, port: number): Promise<Served>
  work(environment: Environment): Served
}

export interface Served {
  /** As a supervisor does it; how many seconds it took, and how it ended. */
  replaced(): Promise<{ seconds: number; code: number | null }>
  stop(): Promise<void>
}

function replaceable({ child, stop }: Running): Served {
  return {
    stop,
    async replaced() {
      const began = performance.now()
      const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      return { code: await code, seconds: (performance.now() - began) / 1_000 }
    },
  }
}

export function releaseIn(folder: string, logFolder: string): Release {
  const start = (command: string, environment: Environment, log: string): Running => {
    const file = openSync(join(logFolder, log), 'a')
    const running = run(process.execPath, [join(folder, 'apps/server/src/cli.ts'), command], environment, folder, file)
    closeSync(file)
    return running
  }
  return {
    async migrate(environment) {
      const { child } = start('migrate', environment, 'migrate.log')
      const code = await new Promise((resolve) => child.once('exit', resolve))
      if (code !== 0) throw new Error(`hufu migrate ended with ${code}`)
    },
    async serve(environment, port) {
      const running = start('serve', { ...environment, HUFU_PORT: String(port) }, `${port}.log`)
      await ready(`http://127.0.0.1:${port}`, running)
      return replaceable(running)
    },
    work: (environment) => replaceable(start('work', environment, 'work.log')),
  }
}

export interface NextRelease extends Release {
  addMigration(name: string, sql: string): void
  remove(): void
}

/** The next version: everything as it is, and the steps that are added to it. */
export function nextRelease(logFolder: string): NextRelease {
  const { folder, remove } = copyTree()
  return {
    ...releaseIn(folder, logFolder),
    addMigration: (name, sql) => writeFileSync(join(folder, 'apps/server/migrations', name), sql),
    remove,
  }
}
