const day = 24 * 60 * 60_000
const mostDays = 90

/** When a day such as 2027-01-31 ends in China, in epoch milliseconds; otherwise what is wrong with it. */
export function graceUntil(text: string, now: number): number | string {
  const begin = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00+08:00`) : Number.NaN
  // The parser takes 31 February for a day of March.
  const isDay = !Number.isNaN(begin) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)
  if (!isDay) return 'must be a day such as 2027-01-31'
  return begin > now + mostDays * day ? `must be at most ${mostDays} days ahead` : begin + day
}
