import { expect, test } from 'vitest'
import { codeLimits, passwordFailures } from './code-limits.ts'

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
})
