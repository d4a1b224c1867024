import type { OwnSecurityEntry } from '@hufu/contract/security'

export interface Day {
  name: string
  entries: OwnSecurityEntry[]
}

/** Entries that follow one another on the same day, under its name. */
export function byDay(entries: OwnSecurityEntry[], nameOf: (time: number) => string): Day[] {
  const days: Day[] = []
  for (const entry of entries) {
    const name = nameOf(entry.time)
    const last = days.at(-1)
    if (last?.name === name) last.entries.push(entry)
    else days.push({ name, entries: [entry] })
  }
  return days
}
