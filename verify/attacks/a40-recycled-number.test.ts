import { confirmLogin, loginByMobile, sendConfirmCode } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserToCreate } from '../../apps/server/src/features/users/users.service.ts'
import { codeTo, type TestSite, times, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type CallResponse, type Harness, number, openHarness } from '../harness/harness.ts'
import { allEndpoints, bodyFor } from './samples.ts'

const silence = 90

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const nickname = '林知夏'

/** A caller with a right code for a number that its account hasn't proved for so many days. */
async function newOwner(own: UserToCreate = {}, days = silence + 1) {
  const user = await t.user(site, { nickname, ...own })
  await t.deps.pool.query(
    'UPDATE identity SET proved_at = now() - make_interval(days => $2) WHERE user_id = $1 AND kind = $3',
    [user.id, days, 'mobile'],
  )
  const browser = t.browser(site)
  const asked = await browser.call(loginByMobile, {
    ...number(user.mobile),
    code: await askCode(browser, user.mobile),
  })
  return { user, browser, asked, ticket: asked.details?.ticket as string }
}

type User = Awaited<ReturnType<typeof newOwner>>['user']

const disclosuresIn = (reply: CallResponse<unknown>, { id, email, username }: User) =>
  [id, email, username, nickname, nickname[1] ?? ''].filter((part) =>
    `${reply.body} ${JSON.stringify(reply.headers)}`.includes(part),
  )

const sessions = async (user: User) =>
  (await t.deps.pool.query('SELECT count(*)::int AS n FROM session WHERE user_id = $1', [user.id])).rows[0].n as number

test('A40 a right code alone gives neither data nor a session, whatever is tried with the ticket', async () => {
  const { user, browser, asked, ticket } = await newOwner()
  const tries: CallResponse<unknown>[] = [asked]
  const answer = (more: object) => browser.post(confirmLogin.path, JSON.stringify({ ticket, mine: true, ...more }))
  tries.push(
    await answer({}),
    await answer({ sure: true }),
    await answer({ password: 'Wrong#2026x' }),
    await answer({ code: '000000' }),
    await answer({ sure: true, password: 'Wrong#2026x', code: '000000' }),
    await answer({ password: '', sure: true }),
    await answer({ password: null }),
  )
  // A code that was texted for something else proves nothing here.
  await t.passMinute(site, `+86${user.mobile}`)
  tries.push(await answer({ code: await askCode(t.browser(site), user.mobile) }))
  await browser.call(sendConfirmCode, { ticket })
  tries.push(await answer({ code: wrongCode(await codeTo(user.email)) }))
  for (const endpoint of allEndpoints.filter(({ access }) => access !== 'public')) {
    const { body, headers } = bodyFor(endpoint)
    const reply = await browser.post(endpoint.path, body, headers)
    expect(reply.code, endpoint.path).toBe(endpoint.access === 'client' ? 'CLIENT_REFUSED' : 'NOT_LOGGED_IN')
    tries.push(reply)
  }
  const disclosures = tries.flatMap((reply) => disclosuresIn(reply, user))
  for (const line of disclosures) console.log(`A40: disclosed ${line}`)
  figure('answers before the second proof', tries.length, ['>=', 60])
  figure('of them disclosed something', disclosures.length, ['=', 0])
  figure('sessions before the second proof', await sessions(user), ['=', 0])
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
  expect((await browser.call(userInfo)).code).toBe('NOT_LOGGED_IN')
})

test('A40 the ticket is invalid in another browser, on another site and for another account', async () => {
  const { user, ticket } = await newOwner()
  const other = await newOwner()
  const abroad = await t.codeSite()
  for (const browser of [t.browser(site), other.browser, t.browser(abroad)]) {
    for (const answer of [{ mine: true, password: user.password }, { mine: false }]) {
      expect((await browser.call(confirmLogin, { ticket, ...answer })).code).toBe('LOGIN_CONFIRM_EXPIRED')
    }
    expect((await browser.call(sendConfirmCode, { ticket })).code).toBe('LOGIN_CONFIRM_EXPIRED')
  }
  expect(await sessions(user)).toBe(0)
})

test('A40 the moved number starts an empty account; the old one is unchanged and out of reach', async () => {
  const { user, browser, ticket } = await newOwner()
  const replies = await Promise.all(times(20, () => browser.call(confirmLogin, { ticket, mine: false })))
  const won = replies.filter(({ status }) => status === 200)
  expect(won).toHaveLength(1)
  expect(won[0]?.data).toMatchObject({ created: true })
  const own = t.browser(site)
  own.cookies.set('__Host-hufu', /__Host-hufu=([^;]+)/.exec(String(won[0]?.headers['set-cookie']))?.[1] ?? '')
  const { data } = await own.call(userInfo)
  expect(data).toMatchObject({ mobile: user.mobile, email: null, username: null, nickname: null, password: false })
  expect(data?.id).not.toBe(user.id)
  expect(await sessions(user)).toBe(0)
  figure('moves that counted, of 20 at once', won.length, ['=', 1])
})

test('A40 without any other identity proof only a masked name is shown, and the second confirmation counts', async () => {
  const { user, browser, ticket } = await newOwner({ password: undefined, email: undefined, username: undefined })
  const needed = await browser.call(confirmLogin, { ticket, mine: true })
  expect(needed.details).toEqual({ proofs: [], nickname: '林**' })
  expect(await sessions(user)).toBe(0)
  expect((await browser.call(confirmLogin, { ticket, mine: true, sure: true })).data?.id).toBe(user.id)
})

test('A40 89 days without proof ask nothing, 90 days and a second do', async () => {
  expect((await newOwner({}, silence - 1)).asked.status).toBe(200)
  const { user, asked } = await newOwner({}, silence)
  expect(asked.code, user.id).toBe('LOGIN_CONFIRM')
})
