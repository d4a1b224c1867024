import { expect, test } from 'vitest'
import { whenZhCN } from './when.text.zh-CN.ts'
import { whenOf } from './when.ts'

const now = new Date(2026, 10, 14, 18, 52)

test.each([
  [new Date(2026, 10, 14, 18, 51, 30), '刚刚'],
  // A clock that is behind the server's.
  [new Date(2026, 10, 14, 18, 55), '刚刚'],
  [new Date(2026, 10, 14, 18, 51), '1 分钟前'],
  [new Date(2026, 10, 14, 17, 53), '59 分钟前'],
  [new Date(2026, 10, 14, 17, 52), '今天 17:52'],
  [new Date(2026, 10, 14, 0, 0), '今天 00:00'],
  [new Date(2026, 10, 13, 23, 59), '昨天 23:59'],
  [new Date(2026, 10, 12, 9, 7), '11 月 12 日 09:07'],
  [new Date(2026, 0, 1, 0, 0), '1 月 1 日 00:00'],
  [new Date(2025, 11, 31, 22, 4), '2025 年 12 月 31 日'],
])('%s was %s', (then, words) => expect(whenOf(then.getTime(), now.getTime(), whenZhCN)).toBe(words))

test('ten minutes ago but before midnight was yesterday', () => {
  const midnight = new Date(2026, 0, 1, 0, 5).getTime()
  expect(whenOf(midnight - 10 * 60_000, midnight, whenZhCN)).toBe('昨天 23:55')
})
