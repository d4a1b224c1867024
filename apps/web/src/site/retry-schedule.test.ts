import { expect, test } from 'vitest'
import { retryDelay } from './retry-schedule.ts'

test.each([1, 2, 3, 4, 5])('S235 retry %i comes after 200 ms', (retry) => expect(retryDelay(retry)).toBe(200))
test.each([6, 7, 19, 20])('S236 retry %i comes after 3 s', (retry) => expect(retryDelay(retry)).toBe(3_000))
test.each([21, 22, 49, 50])('S237 retry %i comes after 10 s', (retry) => expect(retryDelay(retry)).toBe(10_000))
test.each([51, 52, 1000])('S238 there is no retry %i', (retry) => expect(retryDelay(retry)).toBeUndefined())
