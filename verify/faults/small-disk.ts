import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'

export interface SmallDisk {
  folder: string
  /** Fills the disk completely. */
  fill(): void
  makeRoom(): void
  /** In bytes. */
  room(): number
  remove(): void
}

/** A disk of so many megabytes, in memory, that only root may mount. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = makeTemporaryFolder('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'hufu', folder])
  chmodSync(folder, 0o755)
  const filler = join(folder, 'filler')
  const room = () => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  function fill() {
    const file = openSync(filler, 'a')
    const bytes = Buffer.alloc(64 * 1024)
    try {
      while (room() > 0) writeSync(file, bytes, 0, Math.min(bytes.length, room()))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(file)
    }
  }
  function remove() {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  }
  return { folder, room, fill, makeRoom: () => rmSync(filler, { force: true }), remove }
}
