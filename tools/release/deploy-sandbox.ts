import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type BackupScripts, backupScripts } from '../../verify/harness/backup-scripts.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'

export interface Sandbox extends BackupScripts {
  root: string
  /** The scripts that were run, as they are named in deploy. */
  ran: Set<string>
}

/** Copies of the scripts, and a folder for backups, both gone when the test ends; programs by name stand before PostgreSQL's. */
export function sandbox(programs: Record<string, string> = {}): Sandbox {
  const root = makeTemporaryFolder('deploy')
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  chmodSync(root, 0o755)
  const own = join(root, 'programs')
  mkdirSync(own)
  for (const [name, script] of Object.entries(programs)) writeFileSync(join(own, name), script, { mode: 0o755 })
  const { folder, run, start } = backupScripts(root, own)
  const ran = new Set<string>()
  return {
    root,
    ran,
    folder,
    run(script, ...rest) {
      ran.add(`backup/${script}`)
      return run(script, ...rest)
    },
    start(script, ...rest) {
      ran.add(`backup/${script}`)
      return start(script, ...rest)
    },
  }
}
