import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { backupHands, type Hands } from '../../faults/backup-hands.ts'

export interface Sandbox extends Hands {
  root: string
  /** The scripts that were run, as they are named in deploy. */
  ran: Set<string>
}

/** Copies of the scripts, and a folder for backups, both gone when the test ends. */
export function sandbox(): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'hufu-deploy-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  chmodSync(root, 0o755)
  const { folder, run, start } = backupHands(root)
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
