import { spawn } from 'node:child_process'
import { chownSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { asItsUser, postgresPrograms } from '../../tools/stores/postgres.ts'

export interface BackupScripts {
  /** Where everything is kept; PostgreSQL's user owns it. */
  folder: string
  /** Runs a script of deploy/backup to its end. */
  run(script: string, args: string[], port?: number): Promise<{ printed: string; seconds: number }>
  /** Starts one that runs until it is stopped. */
  start(script: string, args: string[], port: number): { stop(): Promise<void> }
}

/**
 * As the database's own user would run them, on copies: that user may not read our working folder. Programs of a folder that is
 * given are found before those of PostgreSQL.
 */
export function backupScripts(folder: string, programs?: string): BackupScripts {
  const identity = asItsUser()
  const scripts = join(folder, 'scripts')
  cpSync(join(import.meta.dirname, '../../deploy/backup'), scripts, { recursive: true })
  const kept = join(folder, 'kept')
  mkdirSync(kept)
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(kept, identity.uid, identity.gid)

  function begin(script: string, args: string[], port: number) {
    return spawn(...boundToParent(join(scripts, script), args), {
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: [programs, postgresPrograms(), '/usr/bin', '/bin'].filter(Boolean).join(':'),
        PGHOST: '127.0.0.1',
        PGPORT: String(port),
        PGUSER: 'postgres',
        PGDATABASE: 'hufu',
      },
    })
  }
  return {
    folder: kept,
    async run(script, args, port = 0) {
      const began = performance.now()
      const child = begin(script, args, port)
      const exit = new Promise((resolve) => child.once('exit', resolve))
      let printed = ''
      for await (const chunk of child.stdout) printed += chunk
      if ((await exit) !== 0) throw new Error(`${script} failed`)
      return { printed: printed.trim(), seconds: (performance.now() - began) / 1_000 }
    },
    start(script, args, port) {
      const child = begin(script, args, port)
      const exit = new Promise((resolve) => child.once('exit', resolve))
      async function stop() {
        child.kill('SIGINT')
        await exit
      }
      return { stop }
    },
  }
}
