import type { lengthsZhCN } from './how-long.text.zh-CN.ts'

const minute = 60_000

/** How long a wait lasts: 42 分钟, 3 小时, 2 天; undefined below a minute. */
export function howLong(since: number, now: number, text: typeof lengthsZhCN): string | undefined {
  const minutes = Math.floor((now - since) / minute)
  if (minutes < 1) return undefined
  if (minutes < 60) return text.minutes(minutes)
  const hours = Math.floor(minutes / 60)
  return hours < 24 ? text.hours(hours) : text.days(Math.floor(hours / 24))
}
