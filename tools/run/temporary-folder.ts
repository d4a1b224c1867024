import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const read = (readIt: () => string): string => {
  try {
    return readIt()
  } catch {
    return ''
  }
}

/** Process ids mean nothing in another namespace of them. */
const namespace = read(() => readlinkSync('/proc/self/ns/pid')).replace(/\D/g, '') || '0'

/** In clock ticks since the machine started: with it, a process id is never that of a later process. */
function startOf(pid: number): string {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The name of the program, in brackets, may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
}

/** This process, as a part of names: what it leaves behind when it is killed is recognized by it. */
export const owner = `${namespace}-${process.pid}-${startOf(process.pid)}`

/** Whether a name holds the owner of something, and that owner has ended. */
export function isAbandoned(name: string): boolean {
  const [, of, pid, start] = /\b(\d+)-(\d+)-(\d+)\b/.exec(name) ?? []
  return of === namespace && start !== startOf(Number(pid))
}

const prefix = 'hufu-'

/** What is mounted there goes first. */
function remove(folder: string): void {
  const mounted = read(() => readFileSync('/proc/mounts', 'utf8'))
  for (const [, place = ''] of mounted.split('\n').map((line) => line.split(' ')))
    if (place === folder || place.startsWith(`${folder}/`)) execFileSync('umount', ['--lazy', place])
  rmSync(folder, { recursive: true, force: true })
}

function removeQuietly(folder: string): void {
  try {
    remove(folder)
  } catch {
    // Owned by another user, or still written to: a later run tries again.
  }
}

const made = new Set<string>()

/** A folder of this process, which goes with it; one that was killed leaves its folders to the next process that makes one. */
export function makeTemporaryFolder(name: string): string {
  if (made.size === 0) {
    const left = readdirSync(tmpdir()).filter((each) => each.startsWith(prefix) && isAbandoned(each))
    for (const each of left) removeQuietly(join(tmpdir(), each))
    process.once('exit', () => made.forEach(removeQuietly))
  }
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${name}-${owner}-`))
  made.add(folder)
  return folder
}
