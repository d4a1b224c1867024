import { expect, test } from 'vitest'
import { codeLimits, openTo, passwordFailures, strangersOf } from './code-limits.ts'

test('a site may ask for less than the usual and for more, but not for more than the platform bears', () => {
  expect(
    [undefined, 0, 3, 100, 101, 1e12].map((own) => passwordFailures({ limits: { passwordFailures: own } })),
  ).toEqual([10, 0, 3, 100, 100, 100])
  expect(passwordFailures({})).toBe(10)
  expect(codeLimits({ limits: { receiverHour: 1e12, receiverDay: 1 } })).toMatchObject({
    receiverHour: 1_000,
    receiverDay: 1,
    siteDay: 10_000,
  })
  expect([{}, { wrongCodesHour: 1e12 }].map((limits) => codeLimits({ limits }).wrongCodesHour)).toEqual([1_000, 5_000])
})

test('D110 of every budget strangers get 70 %, accounts for new receivers 85 %; whole numbers, never more', () => {
  const parts = (budget: number) => (['stranger', 'proved', 'own'] as const).map((asker) => openTo(asker, budget))
  expect([2_000, 10_000, 90, 10, 1, 0].map(parts)).toEqual([
    [1_400, 1_700, 2_000],
    [7_000, 8_500, 10_000],
    [63, 76, 90],
    [7, 8, 10],
    [0, 0, 1],
    [0, 0, 0],
  ])
})

test('D111 of a receiver’s sends strangers get 60 %, rounded up, and one at least', () => {
  expect([5, 10, 4, 1, 0, 1_000].map(strangersOf)).toEqual([3, 6, 3, 1, 1, 600])
})
