import { expect, test } from 'vitest'
import { times } from '../../test/test-app.ts'
import type { SiteId } from '../core/ids.ts'
import { createSiteShare } from './site-share.ts'

const [flooding, quiet] = ['a', 'b'] as SiteId[]
if (!flooding || !quiet) throw new Error('no sites')

function share(siteCalls: number) {
  const clock = { now: 10_000 }
  const within = createSiteShare({ siteCalls }, () => clock.now)
  /** How many of the calls that come evenly in so many milliseconds are let through. */
  const ask = (site: SiteId, calls: number, ms: number) =>
    times(calls, () => {
      clock.now += ms / calls
      return within(site)
    }).filter(Boolean).length
  return { ask }
}

test('a site that is alone is never refused', () => {
  const { ask } = share(100)
  expect(ask(flooding, 5_000, 1_000)).toBe(5_000)
})

test('while another one calls, a site has its calls a second and a short burst, and the other all it asks', () => {
  const { ask } = share(100)
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
  const { ask } = share(100)
  ask(quiet, 1, 1)
  expect(ask(flooding, 1_000, 900)).toBeLessThan(120)
  ask(flooding, 100, 110)
  expect(ask(flooding, 1_000, 100)).toBe(1_000)
})
