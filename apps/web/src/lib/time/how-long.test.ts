import { expect, test } from 'vitest'
import { lengthsZhCN } from './how-long.text.zh-CN.ts'
import { howLong } from './how-long.ts'

const minute = 60_000

test.each([
  [-5000, undefined],
  [59_999, undefined],
  [minute, '1 分钟'],
  [120 * minute, '2 小时'],
  [72 * 60 * minute, '3 天'],
])('%i ms are %s', (length, words) => {
  expect(howLong(0, length, lengthsZhCN)).toBe(words)
})
