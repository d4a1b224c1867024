import { expect, test } from 'vitest'
import { createBreaker } from './breaker.ts'
import { type Outcome, refused, unknown, unreachable } from './outcome.ts'

const sent: Outcome = { kind: 'sent', id: '1' }
const lost = unknown('TIMEOUT')
const answering = (outcome: Outcome) => async () => outcome
const open = { kind: 'refused', code: 'BREAKER_OPEN' }

function setUp(options = {}) {
  let time = 0
  const breaker = createBreaker({ now: () => time, ...options })
  const fail = async (times: number, outcome = lost) => {
    for (let i = 0; i < times; i++) await breaker.run('a', answering(outcome))
  }
  return { breaker, fail, pass: (ms: number) => (time += ms) }
}

/** A call that ends on demand. */
function pending() {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  return { call: () => promise, end: resolve }
}

test('five failures in a row open it, and then nothing is called', async () => {
  const { breaker, fail } = setUp()
  await fail(4)
  expect(await breaker.run('a', answering(lost))).toEqual(lost)
  let called = false
  const outcome = await breaker.run('a', async () => {
    called = true
    return sent
  })
  expect(outcome).toMatchObject(open)
  expect(called).toBe(false)
})

test('a success in between starts the count anew', async () => {
  const { breaker, fail } = setUp()
  await fail(4)
  await breaker.run('a', answering(sent))
  await fail(4)
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
})

test('a refusal by the gateway is no failure, want of a connection is one', async () => {
  const { breaker, fail } = setUp()
  await fail(10, refused('isv.OUT_OF_SERVICE', ''))
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
  await fail(5, refused(unreachable, 'ECONNREFUSED'))
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
})

test('a call that throws counts as a failure and is not swallowed', async () => {
  const { breaker } = setUp({ failures: 1 })
  await expect(breaker.run('a', () => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
})

test('after ten seconds one call tries and the others wait for what it finds', async () => {
  const { breaker, fail, pass } = setUp()
  await fail(5)
  pass(9_999)
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
  pass(1)
  const trial = pending()
  const trying = breaker.run('a', trial.call)
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
  trial.end(sent)
  expect(await trying).toEqual(sent)
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
})

test('a failed try keeps it shut for ten seconds more', async () => {
  const { breaker, fail, pass } = setUp()
  await fail(5)
  pass(10_000)
  expect(await breaker.run('a', answering(lost))).toEqual(lost)
  pass(9_999)
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
  pass(1)
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
})

test('a call begun before it opened neither closes it nor keeps it shut for longer', async () => {
  const { breaker, fail, pass } = setUp()
  const early = [pending(), pending()] as const
  const running = early.map(({ call }) => breaker.run('a', call))
  await fail(5)
  pass(5_000)
  early[0].end(sent)
  await running[0]
  expect(await breaker.run('a', answering(sent))).toMatchObject(open)
  early[1].end(lost)
  await running[1]
  pass(5_000)
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
})

test('fifty calls may be in progress, the next is refused at once', async () => {
  const { breaker } = setUp()
  const calls = Array.from({ length: 50 }, pending)
  const running = calls.map(({ call }) => breaker.run('a', call))
  expect(await breaker.run('a', answering(sent))).toMatchObject({ kind: 'refused', code: 'BREAKER_FULL' })
  for (const { end } of calls) end(sent)
  await Promise.all(running)
  expect(await breaker.run('a', answering(sent))).toEqual(sent)
})

test('one gateway that fails does not shut another', async () => {
  const { breaker, fail } = setUp()
  await fail(5)
  expect(await breaker.run('b', answering(sent))).toEqual(sent)
})
