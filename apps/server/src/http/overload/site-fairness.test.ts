import { expect, test } from 'vitest'
import { times } from '../../../test/test-app.ts'
import type { SiteId } from '../../platform/ids.ts'
import { createSiteFairness } from './site-fairness.ts'

const [flooding, quiet] = ['a', 'b'] as SiteId[]
if (!flooding || !quiet) throw new Error('no sites')

function fairness(siteCalls: number) {
  const clock = { now: 10_000, paused: 0 }
  const within = createSiteFairness(
    { siteCalls },
    { now: () => clock.now, unreadSince: () => clock.now - clock.paused },
  )
  /** How many of the calls that come evenly in so many milliseconds are admitted. */
  const ask = (site: SiteId, calls: number, ms: number) =>
    times(calls, () => {
      clock.now += ms / calls
      return within(site)
    }).filter(Boolean).length
  /** How many of the calls that came in so many milliseconds of a pause are admitted after it. */
  function askInPause(site: SiteId, calls: number, ms: number) {
    clock.paused = ms
    const served = ask(site, calls, 0)
    clock.paused = 0
    return served
  }
  function pass(ms: number) {
    clock.now += ms
  }
  return { ask, askInPause, pass }
}

test('a site that is alone is never refused', () => {
  const { ask } = fairness(100)
  expect(ask(flooding, 5_000, 1_000)).toBe(5_000)
})

test('while another one calls, a site has its calls a second and a short burst, and the other all it asks', () => {
  const { ask } = fairness(100)
  ask(quiet, 1, 1)
  let served = 0
  for (let moment = 0; moment < 100; moment++) {
    served += ask(flooding, 100, 100)
    expect(ask(quiet, 1, 0)).toBe(1)
  }
  expect(served).toBeGreaterThanOrEqual(1_000)
  expect(served).toBeLessThanOrEqual(1_000 + 21)
})

test('a second after the other has gone quiet, a site may use everything again', () => {
  const { ask } = fairness(100)
  ask(quiet, 1, 1)
  expect(ask(flooding, 1_000, 900)).toBeLessThan(120)
  ask(flooding, 100, 110)
  expect(ask(flooding, 1_000, 100)).toBe(1_000)
})

test('F13 what came in a pause of the process is its calls of that time: who kept to the limit is not refused for it', () => {
  const { ask, askInPause, pass } = fairness(100)
  ask(quiet, 1, 1)
  ask(flooding, 100, 100)
  pass(700)
  expect(askInPause(quiet, 60, 700)).toBe(60)
  expect(askInPause(flooding, 1_000, 700)).toBeLessThanOrEqual(70 + 16)
  pass(60_000)
  ask(quiet, 1, 1)
  expect(askInPause(flooding, 10_000, 60_000)).toBeLessThanOrEqual(200 + 16)
})
