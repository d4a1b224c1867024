const minute = 60_000
const dayMinutes = 24 * 60

/** How long it is until then: to the hour from a day on, to the minute below, and never less than a minute. */
export function timeLeft(until: number, now: number) {
  const minutes = Math.max(1, Math.ceil((until - now) / minute))
  if (minutes < dayMinutes) return { days: 0, hours: Math.floor(minutes / 60), minutes: minutes % 60 }
  const hours = Math.ceil(minutes / 60)
  return { days: Math.floor(hours / 24), hours: hours % 24, minutes: 0 }
}
