const hours = 3_600_000
const two = (number: number) => String(number).padStart(2, '0')

/** The server counts by the days of China, wherever the operator's own clock stands: eight hours ahead all year. */
const inChina = (time: number) => new Date(time + 8 * hours)

export const clockInChina = (time: number) => `${two(hourInChina(time))}:${two(inChina(time).getUTCMinutes())}`
export const hourInChina = (time: number) => inChina(time).getUTCHours()

export function dayInChina(time: number) {
  const moment = inChina(time)
  return { month: moment.getUTCMonth() + 1, date: moment.getUTCDate(), weekday: moment.getUTCDay() }
}
