import { describe, expect, test } from 'vitest'
import { statisticsZhCN } from '../features/merchant-statistics/statistics.text.zh-CN.ts'
import { changeOf, numberText, rateText, shareOf, tickText } from './figures.ts'

describe('figures in words', () => {
  test('thousands stand apart', () => {
    expect([0, 999, 48_216, 7_415_083].map(numberText)).toEqual(['0', '999', '48,216', '7,415,083'])
  })
  test.each([
    [3182, 3054, 'up', '4.2%'],
    [3977, 4030, 'down', '1.3%'],
    [26_340, 26_340, 'same', '0.0%'],
    [100_001, 100_000, 'same', '0.0%'],
    [99_999, 100_000, 'same', '0.0%'],
    [0, 8, 'down', '100.0%'],
    [1099, 100, 'up', '999.0%'],
    [5000, 4, 'up', '>999%'],
    [5, 0, 'none', '—'],
    [0, 0, 'none', '—'],
  ])('%i after %i: %s %s', (now, before, kind, text) => {
    expect(changeOf(now, before)).toEqual({ kind, text })
  })
  test('a rate is of the step before, and there is none of nothing', () => {
    expect([rateText(2236, 2410), rateText(0, 10), rateText(0, 0), rateText(3, 0)]).toEqual(['92.8%', '0.0%', '—', '—'])
  })
  test('what is drawn is never less than nothing or more than all', () => {
    expect([shareOf(1, 4), shareOf(5, 4), shareOf(-1, 4), shareOf(1, 0)]).toEqual([0.25, 1, 0, 0])
  })
  test('the axis says large numbers briefly', () => {
    const text = statisticsZhCN.statistics
    const said = [0, 900, 8000, 10_000, 12_000, 300_000, 3e8].map((value) => tickText(value, text))
    expect(said).toEqual(['0', '900', '8,000', '1万', '1.2万', '30万', '3亿'])
  })
})
