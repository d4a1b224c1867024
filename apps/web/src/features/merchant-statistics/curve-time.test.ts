import { expect, test } from 'vitest'
import { clockInChina, dayInChina } from '../../lib/time/china-time.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { momentName, spanName } from './curve-time.ts'
import { statisticsZhCN } from './statistics.text.zh-CN.ts'

const text = { date: whenZhCN.date, span: statisticsZhCN.statistics.hour }
const evening = Date.parse('2026-11-14T18:00:00+08:00')
const lastHour = Date.parse('2026-12-31T23:00:00+08:00')

test('hours and days are those of China, wherever the browser is', () => {
  expect([clockInChina(evening), dayInChina(evening)]).toEqual(['18:00', { month: 11, date: 14, weekday: 6 }])
  expect(dayInChina(Date.parse('2026-12-31T16:00:00Z'))).toEqual({ month: 1, date: 1, weekday: 5 })
})
test('a point is named by its hour or day', () => {
  expect([momentName(evening, 'hour'), momentName(evening, 'day')]).toEqual(['18:00', '11/14'])
})
test('a reading names the whole hour, which ends at 24:00 before midnight, or the day', () => {
  expect(spanName(evening, 'hour', text)).toBe('11 月 14 日 18:00–19:00')
  expect(spanName(lastHour, 'hour', text)).toBe('12 月 31 日 23:00–24:00')
  expect(spanName(evening, 'day', text)).toBe('11 月 14 日')
})
