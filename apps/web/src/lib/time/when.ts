import type { whenZhCN } from './when.text.zh-CN.ts'

const minute = 60_000
const two = (number: number) => String(number).padStart(2, '0')

/** Midnight of the day on which a moment lies, some days earlier. */
const dayOf = (moment: Date, earlier = 0) =>
  new Date(moment.getFullYear(), moment.getMonth(), moment.getDate() - earlier).getTime()

export const clockOf = (time: number) => `${two(new Date(time).getHours())}:${two(new Date(time).getMinutes())}`

/** The day on which something was: 今天, 昨天, 11 月 12 日, 2025 年 11 月 12 日. */
export function dayName(time: number, now: number, text: typeof whenZhCN): string {
  const then = new Date(time)
  const today = new Date(now)
  if (dayOf(then) === dayOf(today)) return text.today
  if (dayOf(then) === dayOf(today, 1)) return text.yesterday
  const [year, month, date] = [then.getFullYear(), then.getMonth() + 1, then.getDate()]
  return year === today.getFullYear() ? text.date(month, date) : text.fullDate(year, month, date)
}

/** When something was, the shorter the nearer: 3 分钟前, 今天 18:52, 11 月 12 日 09:17, 2025 年 11 月 12 日. */
export function whenOf(time: number, now: number, text: typeof whenZhCN): string {
  const then = new Date(time)
  const today = new Date(now)
  const day = dayOf(then)
  const minutes = Math.floor((now - time) / minute)
  const clock = clockOf(time)
  if (minutes < 1) return text.now
  if (day === dayOf(today)) return minutes < 60 ? text.minutesAgo(minutes) : `${text.today} ${clock}`
  if (day === dayOf(today, 1)) return `${text.yesterday} ${clock}`
  const [year, month, date] = [then.getFullYear(), then.getMonth() + 1, then.getDate()]
  return year === today.getFullYear() ? `${text.date(month, date)} ${clock}` : text.fullDate(year, month, date)
}

/** A moment that matters to the minute, mostly one to come: 今天 18:52, 11 月 18 日 15:30. */
export const momentOf = (time: number, now: number, text: typeof whenZhCN) =>
  `${dayName(time, now, text)} ${clockOf(time)}`
