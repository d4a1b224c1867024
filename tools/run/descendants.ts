import { readdirSync, readFileSync } from 'node:fs'

/** A process, everything that it has started, and what that has started. */
export function descendants(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, after = ''] = readFileSync(`/proc/${entry}/stat`, 'utf8').split(/\) /)
      const parent = Number(after.split(' ')[1])
      parents.set(parent, [...(parents.get(parent) ?? []), Number(entry)])
    } catch {
      // It ended meanwhile.
    }
  }
  const below = (one: number): number[] => [one, ...(parents.get(one) ?? []).flatMap(below)]
  return below(pid)
}
