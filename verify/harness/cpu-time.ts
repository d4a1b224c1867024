import { readFileSync } from 'node:fs'

/** User and system time of a process so far, in milliseconds; the kernel counts in ticks of 10 ms. */
export function cpuMsOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number)
  return (user + system) * 10
}
