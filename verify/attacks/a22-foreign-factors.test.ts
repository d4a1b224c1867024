import { randomUUID } from 'node:crypto'
import {
  addPasskey,
  beginPasskey,
  factorState,
  loginByFactor,
  loginByPasskey,
  passkeyLoginOptions,
  readFactorTicket,
  removePasskey,
  renamePasskey,
} from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { twoFactorPasskeyOptions, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { type SoftwarePasskey, softwarePasskey } from '../../tools/simulators/software-passkey.ts'
import { type Browser, type CallResponse, type Harness, openHarness, password, type User } from '../harness/harness.ts'
import { alike, reportAlike } from './alike.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  elsewhere = await t.codeSite()
})
afterAll(() => t.close())

type Call = (id: string) => Promise<CallResponse<unknown>>

interface Enrolled extends User {
  username: string
  passkey: SoftwarePasskey
  passkeyId: string
}

/** A user with one passkey, in the session that added it. */
async function enrolled(at: TestSite): Promise<Enrolled> {
  const { id, username } = await t.user(at)
  const browser = await t.session(at, id)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(browser)])
  const passkey = softwarePasskey(at.origin)
  const { data: options = {} } = await browser.call(beginPasskey, {})
  const { data, code } = await browser.call(addPasskey, { passkey: passkey.create(options) })
  if (!data) throw new Error(`no passkey: ${code}`)
  return { ...browser, username, passkey, passkeyId: data.id }
}

/** The ticket of a browser that has given the password. */
async function ticketOf(browser: Browser, { username }: Enrolled): Promise<string> {
  const { details } = await browser.call(loginByPassword, { account: username, password })
  return String(details.ticket)
}

test('A22 passkeys of another user, of another site and none at all are refused alike, and stay', async () => {
  const [me, other, abroad] = [await enrolled(site), await enrolled(site), await enrolled(elsewhere)]
  const ids = [other.passkeyId, abroad.passkeyId, other.id, randomUUID()]
  const calls: Call[] = [(id) => me.call(renamePasskey, { id, name: '我的' }), (id) => me.call(removePasskey, { id })]
  for (const call of calls) {
    const replies = []
    for (const id of ids) replies.push(await call(id))
    expect(alike(replies)).toBe('404 NOT_FOUND')
  }
  for (const owner of [me, other, abroad]) expect((await owner.call(factorState)).data?.passkeys).toHaveLength(1)
})

test('A22 no passkey of another site or another account steps up, is a second step or signs in', async () => {
  const [me, other, abroad] = [await enrolled(site), await enrolled(site), await enrolled(elsewhere)]
  const unknown = softwarePasskey(site.origin)
  const foreign = [other.passkey, abroad.passkey, unknown]
  const [stepUps, seconds, signIns] = [[], [], []] as CallResponse<unknown>[][]
  const browser = t.browser(site)
  const ticket = await ticketOf(browser, me)
  for (const passkey of foreign) {
    const { data: own = {} } = await me.call(twoFactorPasskeyOptions)
    stepUps?.push(await me.call(verifyTwoFactor, { passkey: passkey.get(own) }))
    const { data: options = {} } = await browser.call(passkeyLoginOptions)
    seconds?.push(await browser.call(loginByFactor, { ticket, passkey: passkey.get(options) }))
    if (passkey !== other.passkey) signIns?.push(await browser.call(loginByPasskey, { passkey: passkey.get(options) }))
  }
  for (const replies of [stepUps, seconds, signIns]) expect(alike(replies ?? [])).toBe('400 PASSKEY_UNKNOWN')
  const { data: options = {} } = await browser.call(passkeyLoginOptions)
  expect((await browser.call(loginByFactor, { ticket, passkey: me.passkey.get(options) })).data?.id).toBe(me.id)
})

test('A22 a new passkey answers a challenge of the own session alone', async () => {
  const [me, other, abroad] = [await enrolled(site), await enrolled(site), await enrolled(elsewhere)]
  const replies = []
  for (const asker of [other, abroad]) {
    const { data: options = {} } = await asker.call(beginPasskey, {})
    replies.push(await me.call(addPasskey, { passkey: softwarePasskey(site.origin).create(options) }))
  }
  expect(alike(replies)).toBe('400 FACTOR_WRONG')
  expect((await me.call(factorState)).data?.passkeys).toHaveLength(1)
})

test('A22 tickets to the second step of other browsers, of another site and made-up ones are refused alike', async () => {
  const [me, abroad] = [await enrolled(site), await enrolled(elsewhere)]
  const mine = t.browser(site)
  const own = await ticketOf(mine, me)
  const theirs = await ticketOf(t.browser(site), me)
  const tickets = [theirs, await ticketOf(t.browser(elsewhere), abroad), 'A'.repeat(43), me.id]
  const calls: Call[] = [
    (ticket) => mine.call(readFactorTicket, { ticket }),
    (ticket) => mine.call(loginByFactor, { ticket, totp: '000000' }),
  ]
  for (const call of calls) expect(alike(await Promise.all(tickets.map(call)))).toBe('410 FACTOR_EXPIRED')
  expect((await mine.call(readFactorTicket, { ticket: own })).data?.ways).toEqual(['passkey', 'recovery'])
  reportAlike('passkeys and tickets to the second step', 20)
})
