import { setTimeout as sleep } from 'node:timers/promises'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { closeAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { codeLifeMinutes } from '@hufu/contract/verify-code-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../apps/server/src/core/hash.ts'
import { fresh, type TestSite, times } from '../apps/server/test/test-app.ts'
import { bind, createId, exchange, shop, ticketIn } from './authorizing.ts'
import { passCheck } from './checks.ts'
import { endingSoon, moments, tellEnd } from './endings.ts'
import { askCode, type Harness, number, openHarness, password } from './harness.ts'

/** The worker never runs here, so nothing ends by being cleaned up. */
const exact = 1_000

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: [shop] })
})
afterAll(() => t.close())

const endsSoon = (table: string, where: string, values: unknown[]) => endingSoon(t, site, { table, where, values })

const life = async (table: string) =>
  (
    await t.deps.pool.query(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS left FROM ${table} WHERE site_id = $1 ORDER BY expires_at DESC LIMIT 1`,
      [site.id],
    )
  ).rows[0].left as number

test('A38 a code ends on its second', async () => {
  const outcomes = await Promise.all(
    moments.map(async (moment) => {
      const mobile = fresh.mobile()
      const browser = t.browser(site)
      const login = { ...number(mobile), code: await askCode(browser, mobile) }
      const wait = await endsSoon('code', 'receiver = $2', [`+86${mobile}`])
      await wait(moment)
      return (await browser.call(loginByMobile, login)).code ?? 'in'
    }),
  )
  tellEnd('codes', outcomes, 'CODE_WRONG')
  const mobile = fresh.mobile()
  await askCode(t.browser(site), mobile)
  expect(Math.abs((await life('code')) - codeLifeMinutes * 60) * 1_000).toBeLessThan(exact)
})

test('A38 a ticket ends on its second', async () => {
  const outcomes = await Promise.all(
    moments.map(async (moment) => {
      const person = await t.person(site)
      await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [
        person.id,
      ])
      const browser = t.browser(site)
      const asked = await browser.call(loginByMobile, {
        ...number(person.mobile),
        code: await askCode(browser, person.mobile),
      })
      const wait = await endsSoon('login_confirm', 'user_id = $2', [person.id])
      await wait(moment)
      const answer = { ticket: asked.details.ticket, mine: true, password: person.password }
      return (await browser.call(confirmLogin, answer)).code ?? 'in'
    }),
  )
  tellEnd('tickets of a sign-in', outcomes, 'LOGIN_CONFIRM_EXPIRED')
})

test('A38 what signs people in to other sites ends on its second', async () => {
  const { id: userId } = await t.person(site, { password: undefined })
  const person = await t.session(site, userId)
  const ids = moments.map(async (moment) => {
    const id = await createId(t.browser(site))
    const wait = await endsSoon('authorize_request', 'hash = $2', [sha256(id)])
    await wait(moment)
    return (await bind(person, id)).code ?? 'in'
  })
  const tickets = moments.map(async (moment) => {
    const ticket = ticketIn((await bind(person, await createId(t.browser(site)))).data) ?? ''
    const wait = await endsSoon('authorize_ticket', 'hash = $2', [sha256(ticket)])
    await wait(moment)
    return (await exchange(t, site, ticket)).code ?? 'in'
  })
  tellEnd('authorize ids', await Promise.all(ids), 'AUTHORIZE_EXPIRED')
  tellEnd('authorize tickets', await Promise.all(tickets), 'AUTHORIZE_TICKET')
  await bind(person, await createId(t.browser(site)))
  expect(Math.abs((await life('authorize_request')) - 600) * 1_000).toBeLessThan(exact)
  expect(Math.abs((await life('authorize_ticket')) - 60) * 1_000).toBeLessThan(exact)
})

test('A38 a session ends on its second after 180 days, though it was just used', async () => {
  const outcomes = await Promise.all(
    moments.map(async (moment) => {
      const { id } = await t.person(site, { password: undefined })
      const session = await t.session(site, id)
      const set = performance.now()
      await t.deps.pool.query(
        "UPDATE session SET created_at = clock_timestamp() - interval '180 days' + interval '2 seconds' WHERE user_id = $1",
        [id],
      )
      // Every process has it in its cache.
      for (const _ of times(4, () => 0)) expect((await session.call(userInfo)).status).toBe(200)
      await sleep(Math.max(0, set + 2_000 + moment - performance.now()))
      return (await session.call(userInfo)).code ?? 'in'
    }),
  )
  tellEnd('sessions of 180 days', outcomes, 'NOT_LOGGED_IN')
})

test('A38 an account that is to be erased ends on its second for every session and every way in', async () => {
  const outcomes = await Promise.all(
    moments.map(async (moment) => {
      const person = await t.person(site)
      const session = await t.session(site, person.id)
      await passCheck(t, site, session, person.mobile)
      expect((await session.call(closeAccount)).status).toBe(200)
      const browser = t.browser(site)
      await t.passMinute(site, `+86${person.mobile}`)
      const login = { ...number(person.mobile), code: await askCode(browser, person.mobile) }
      const set = performance.now()
      await t.deps.pool.query(
        "UPDATE deletion SET due_at = clock_timestamp() + interval '2 seconds' WHERE user_id = $1",
        [person.id],
      )
      // Closing has left a grave that keeps the caches empty for a minute; without it they hold the person as it was read.
      await t.deps.cache.del(`{${site.id}:${person.id}}:u`)
      for (const _ of times(4, () => 0)) expect((await session.call(userInfo)).status).toBe(200)
      await sleep(Math.max(0, set + 2_000 + moment - performance.now()))
      const answers = await Promise.all([
        session.call(userInfo),
        t.browser(site).call(loginByPassword, { account: person.username, password }),
        browser.call(loginByMobile, login),
      ])
      return answers.map(({ code }) => code ?? 'in').join(' ')
    }),
  )
  const over = 'SESSION_REMOVED ACCOUNT_DISABLED ACCOUNT_DISABLED'
  tellEnd(
    'closed accounts',
    outcomes.map((outcome) => (outcome === 'in in in' ? 'in' : outcome)),
    over,
  )
})
