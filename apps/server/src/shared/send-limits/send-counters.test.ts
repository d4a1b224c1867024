import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, times } from '../../../test/test-app.ts'
import { newSiteId } from '../../platform/ids.ts'
import { type Asker, codeLimits } from './code-limits.ts'
import { bookSend } from './send-counters.ts'

let t: TestApp
let other: TestApp
beforeAll(async () => {
  t = await startTestApp()
  other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl })
})
afterAll(() => Promise.all([t.close(), other.close()]))

const limits = codeLimits({ limits: { prefixDay: 20, siteDay: 10 } })

/** Books in both processes by turns, with a write to Redis in between. */
async function bookMany(
  count: number,
  between: (site: string) => Promise<unknown>,
  asker: Asker = 'stranger',
  site = newSiteId(),
) {
  let booked = 0
  let wait = 0
  for (const [turn] of times(count, (index) => [index])) {
    const { deps } = (turn ?? 0) % 2 === 0 ? t : other
    const { retryAfter } = await bookSend(deps, site, { prefix: '86', asker }, limits)
    if (retryAfter === undefined) booked++
    else wait = retryAfter
    await between(site)
  }
  return { booked, wait }
}

const keysOf = (site: string) => [`{code:${site}:s}`, `{code:${site}:p:86}`]

test('D107 the counters of a day that are deleted, lowered or made to end give no more sends', async () => {
  const { redis } = t.deps
  const ways = {
    nothing: async () => {},
    deleted: (site: string) => Promise.all(keysOf(site).map((key) => redis.del(key))),
    lowered: (site: string) => Promise.all(keysOf(site).map((key) => redis.set(key, '-1000'))),
    ended: (site: string) => Promise.all(keysOf(site).map((key) => redis.pexpire(key, 1))),
  }
  for (const [way, between] of Object.entries(ways)) {
    // Of ten three are reserved for sessions and known browsers.
    const { booked, wait } = await bookMany(16, between)
    expect(booked, way).toBeLessThanOrEqual(7)
    expect(wait, way).toBeGreaterThan(0)
  }
  expect((await bookMany(16, ways.nothing)).booked).toBe(7)
  expect((await bookMany(16, ways.deleted)).booked).toBe(7)
})

test('D107 what is kept for sessions and known browsers stays theirs when Redis is emptied', async () => {
  const site = newSiteId()
  const empty = () => Promise.all(keysOf(site).map((key) => t.deps.redis.del(key)))
  expect((await bookMany(12, empty, 'stranger', site)).booked).toBe(7)
  expect((await bookMany(12, empty, 'own', site)).booked).toBe(3)
})

test('D107 a send that did not happen is given back to both, and the next day begins anew', async () => {
  const site = newSiteId()
  for (const _ of times(20, () => 0)) {
    const budget = await bookSend(t.deps, site, { prefix: '86', asker: 'stranger' }, limits)
    expect(budget.retryAfter).toBeUndefined()
    await budget.giveBack()
  }
  const nothing = async () => {}
  expect((await bookMany(12, nothing, 'stranger', site)).booked).toBe(7)
  await t.deps.redis.del(...keysOf(site).slice(0, 1))
  await t.deps.redis.del(...keysOf(site).slice(1))
  await t.deps.pool.query("UPDATE send_budget SET ends_at = now() - interval '1 second' WHERE site_id = $1", [site])
  expect((await bookMany(12, nothing, 'stranger', site)).booked).toBe(7)
})

test('D107 of many at once no more than the budget are booked, also in an empty Redis', async () => {
  const site = newSiteId()
  const book = () => bookSend(t.deps, site, { prefix: '86', asker: 'stranger' }, limits)
  const answers = await Promise.all(times(30, (index) => (index % 3 === 0 ? empty().then(book) : book())))
  async function empty() {
    for (const key of keysOf(site)) await t.deps.redis.del(key)
  }
  expect(answers.filter(({ retryAfter }) => retryAfter === undefined).length).toBeLessThanOrEqual(7)
})
