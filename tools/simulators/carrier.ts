const second = 1_000
const hour = 3_600 * second
const day = 24 * hour

export type Limit = 'short' | 'hour' | 'day'

/** Counts messages per signature and number as carriers do: one in `shortMs`, five an hour, ten a day. */
export function createCarrier(now: () => number, shortMs: number) {
  const sent = new Map<string, number[]>()

  /** The limit that is reached, or undefined, and then the message is counted. */
  return function count(signName: string, number: string): Limit | undefined {
    const key = `${signName} ${number}`
    const times = (sent.get(key) ?? []).filter((time) => time > now() - day)
    const within = (ms: number) => times.filter((time) => time > now() - ms).length
    if (within(shortMs) >= 1) return 'short'
    if (within(hour) >= 5) return 'hour'
    if (times.length >= 10) return 'day'
    sent.set(key, [...times, now()])
    return undefined
  }
}

/** The plan of the world's dialling codes: these have one or two digits, all others have three. */
const shortPrefix = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** `85261234567` as the user knows it: `61234567`. */
export function withoutPrefix(number: string): string {
  return number.slice(shortPrefix.exec(number)?.[0].length ?? 3)
}
