import { dayName, momentOf } from '../../../lib/time/when.ts'
import type { useAuthorizationsText } from './authorizations.text.ts'

const day = 86_400_000
const month = 30 * day
/** A client that wasn't used for so long may be forgotten. */
const unusedAfter = 90 * day

export const isUnused = (lastUsed: number, now: number) => now - lastUsed >= unusedAfter

/** 今天 09:20, 昨天 21:04, 11 月 12 日, 4 个月前, 2 年前. */
export function lastUsedWords(time: number, now: number, text: ReturnType<typeof useAuthorizationsText>): string {
  if (isUnused(time, now)) {
    const months = Math.floor((now - time) / month)
    return months < 12 ? text.list.monthsAgo(months) : text.list.yearsAgo(Math.floor(months / 12))
  }
  const name = dayName(time, now, text.when)
  return [text.when.today, text.when.yesterday].includes(name) ? momentOf(time, now, text.when) : name
}

/** The whole date, wherever it lies. */
export function dateWords(time: number, text: ReturnType<typeof useAuthorizationsText>): string {
  const then = new Date(time)
  return text.when.fullDate(then.getFullYear(), then.getMonth() + 1, then.getDate())
}
