import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { closeAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { codeLifeMinutes } from '@hufu/contract/verify-code-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { fresh, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { bind, createId, exchange, shop, ticketIn } from '../harness/authorizing.ts'
import { askCode, type Browser, type Harness, number, openHarness, password } from '../harness/harness.ts'
import { passCheck } from './checks.ts'
import { endSoon, expectLife, tryAround } from './endings.ts'

/** No worker runs on the common database, so nothing ends by being cleaned up. */
let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: [shop] })
})
afterAll(() => t.close())

const endOf = (table: string, where: string, values: unknown[]) => () => endSoon(t, site, { table, where, values })

/** Every process has read it, and keeps it. */
async function cache(session: Browser): Promise<void> {
  for (const _ of times(4, () => 0)) expect((await session.call(userInfo)).status).toBe(200)
}

const life = async (table: string) =>
  (
    await t.deps.pool.query(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS left FROM ${table} WHERE site_id = $1 ORDER BY expires_at DESC LIMIT 1`,
      [site.id],
    )
  ).rows[0].left as number

test('A38 a code ends on its second', async () => {
  await tryAround('codes', 'CODE_WRONG', async () => {
    const mobile = fresh.mobile()
    const browser = t.browser(site)
    const login = { ...number(mobile), code: await askCode(browser, mobile) }
    return {
      end: endOf('code', 'receiver = $2', [`+86${mobile}`]),
      use: async () => (await browser.call(loginByMobile, login)).code ?? 'in',
    }
  })
  const mobile = fresh.mobile()
  const begun = performance.now()
  await askCode(t.browser(site), mobile)
  expectLife((await life('code')) * 1_000, codeLifeMinutes * 60_000, begun)
})

test('A38 a ticket ends on its second', async () => {
  await tryAround('tickets of a sign-in', 'LOGIN_CONFIRM_EXPIRED', async () => {
    const user = await t.user(site)
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
    const browser = t.browser(site)
    const asked = await browser.call(loginByMobile, {
      ...number(user.mobile),
      code: await askCode(browser, user.mobile),
    })
    const answer = { ticket: asked.details.ticket, mine: true, password: user.password }
    return {
      end: endOf('login_confirm', 'user_id = $2', [user.id]),
      use: async () => (await browser.call(confirmLogin, answer)).code ?? 'in',
    }
  })
})

test('A38 what signs users in to other sites ends on its second', async () => {
  const { id: userId } = await t.user(site, { password: undefined })
  const user = await t.session(site, userId)
  await tryAround('authorize ids', 'AUTHORIZE_EXPIRED', async () => {
    const id = await createId(t.browser(site))
    return {
      end: endOf('authorize_request', 'hash = $2', [sha256(id)]),
      use: async () => (await bind(user, id)).code ?? 'in',
    }
  })
  await tryAround('authorize tickets', 'AUTHORIZE_TICKET', async () => {
    const ticket = ticketIn((await bind(user, await createId(t.browser(site)))).data) ?? ''
    return {
      end: endOf('authorize_ticket', 'hash = $2', [sha256(ticket)]),
      use: async () => (await exchange(t, site, ticket)).code ?? 'in',
    }
  })
  const begun = performance.now()
  await bind(user, await createId(t.browser(site)))
  expectLife((await life('authorize_request')) * 1_000, 600_000, begun)
  expectLife((await life('authorize_ticket')) * 1_000, 60_000, begun)
})

test('A38 a session ends on its second after 180 days, though it was just used', async () => {
  await tryAround('sessions of 180 days', 'NOT_LOGGED_IN', async () => {
    const { id } = await t.user(site, { password: undefined })
    const session = await t.session(site, id)
    const ending = { table: 'session', where: 'user_id = $2', values: [id], column: 'created_at', life: '180 days' }
    return {
      async end() {
        await endSoon(t, site, ending)
        await cache(session)
      },
      use: async () => (await session.call(userInfo)).code ?? 'in',
    }
  })
})

test('A38 an account that is to be erased ends on its second for every session and every sign-in method', async () => {
  const over = 'SESSION_REMOVED ACCOUNT_DISABLED ACCOUNT_DISABLED'
  await tryAround('closed accounts', over, async () => {
    const user = await t.user(site)
    const session = await t.session(site, user.id)
    await passCheck(t, site, session, user.mobile)
    expect((await session.call(closeAccount)).status).toBe(200)
    const browser = t.browser(site)
    await t.passMinute(site, `+86${user.mobile}`)
    const login = { ...number(user.mobile), code: await askCode(browser, user.mobile) }
    return {
      async end() {
        await endSoon(t, site, { table: 'deletion', where: 'user_id = $2', values: [user.id], column: 'due_at' })
        // Closing has left a tombstone that keeps the caches empty for a minute; without it they hold the user as it was read.
        await t.deps.cache.del(`{${site.id}:${user.id}}:u2`)
        await cache(session)
      },
      async use() {
        const answers = await Promise.all([
          session.call(userInfo),
          t.browser(site).call(loginByPassword, { account: user.username, password }),
          browser.call(loginByMobile, login),
        ])
        const results = answers.map(({ code }) => code ?? 'in').join(' ')
        return results === 'in in in' ? 'in' : results
      },
    }
  })
})
