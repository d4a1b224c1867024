import type { Curve } from '@hufu/contract/statistics'
import { clockInChina, dayInChina } from '../../lib/time/china-time.ts'

const hour = 3_600_000

type Step = Curve['step']

interface TimeText {
  date: (month: number, date: number) => string
  span: (date: string, from: string, to: string) => string
}

/** What stands under a point on the axis. */
export function momentName(time: number, step: Step): string {
  const { month, date } = dayInChina(time)
  return step === 'hour' ? clockInChina(time) : `${month}/${date}`
}

/** The whole hour or day that a point stands for. A day ends at 24:00. */
export function spanName(time: number, step: Step, text: TimeText): string {
  const { month, date } = dayInChina(time)
  const day = text.date(month, date)
  if (step === 'day') return day
  const end = clockInChina(time + hour)
  return text.span(day, clockInChina(time), end === '00:00' ? '24:00' : end)
}
