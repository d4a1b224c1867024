import { expect, test } from 'vitest'
import { dayStart } from './list-address.ts'

test('a day begins at midnight here, some days later', () => {
  expect(dayStart('2026-11-15')).toBe(new Date(2026, 10, 15).getTime())
  expect(dayStart('2024-02-28', 2)).toBe(new Date(2024, 2, 1).getTime())
})

test.each(['2026-02-30', '2026-13-01', '2026-00-10', '0050-01-01', '2026-1-1', '', 'x'])('%s is no day', (day) => {
  expect(dayStart(day)).toBeUndefined()
})
