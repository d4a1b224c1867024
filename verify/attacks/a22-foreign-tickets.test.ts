import { randomUUID } from 'node:crypto'
import { bindAuthorization, createAuthorization } from '@hufu/contract/authorize'
import { confirmLogin, loginByMobile, sendConfirmCode } from '@hufu/contract/login'
import { openConfig, restoreConfig, updateConfig } from '@hufu/contract/merchant-config'
import {
  finishFactorRecovery,
  finishRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
  stopNoticedRecovery,
  undoByRecovery,
} from '@hufu/contract/recovery'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { disownNoticedSignIn, readNoticedSignIn } from '@hufu/contract/security'
import { applyUndo, readUndo, sendUndoCode } from '@hufu/contract/undo'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { provedTicket, readyTicket } from '../../apps/server/test/recovering.ts'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { bind, createId, exchange, forum, shop, ticketIn } from '../harness/authorizing.ts'
import { callerOf } from '../harness/callers.ts'
import { askCode, type CallResponse, codeConfig, type Harness, number, openHarness } from '../harness/harness.ts'
import { alike, reportAlike } from './alike.ts'
import { changedAccount } from './undoing.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: [shop, forum] })
  elsewhere = await t.codeSite({ clients: [shop] })
})
afterAll(() => t.close())

type Call = (id: string) => Promise<CallResponse<unknown>>

test('A22 an authorization of another site, one that was bound by another user and none at all are refused alike', async () => {
  const me = await t.session(site, (await t.user(site)).id)
  const other = await t.session(site, (await t.user(site)).id)
  const begin = async (at: TestSite) => (await t.browser(at).call(createAuthorization, { source: '/user' })).data ?? ''
  const taken = await begin(site)
  expect((await other.call(bindAuthorization, { id: taken })).status).toBe(200)
  const ids = [await begin(elsewhere), taken, randomUUID(), other.id]
  const replies = []
  for (const id of ids) replies.push(await me.call(bindAuthorization, { id }))
  expect(alike(replies)).toBe('400 AUTHORIZE_EXPIRED')
})

test('A22 a scan request of another browser, of another site and none at all are refused alike', async () => {
  const me = await t.session(site, (await t.user(site)).id)
  const begin = async (at: TestSite) => {
    const { data } = await t.browser(at).call(createScanRequest)
    if (!data) throw new Error('no request')
    return data
  }
  const here = await begin(site)
  const requests = [await begin(elsewhere), { ...here, id: 'A'.repeat(22) }]
  const checked = []
  for (const request of [...requests, here]) checked.push(await me.call(checkScanRequest, request))
  const processed = []
  for (const request of requests) processed.push(await me.call(processScanRequest, { ...request, status: 0 }))
  expect([alike(checked), alike(processed)]).toEqual(Array(2).fill('410 LOGIN_REQUEST_EXPIRED'))
})

test('A22 tickets and links of other browsers, of another site and made-up ones are refused alike', async () => {
  const [user, abroad] = [await t.user(site), await t.user(elsewhere)]
  const [mine, theirs, stray] = [t.browser(site), t.browser(site), t.browser(elsewhere)]
  await provedTicket(t, site, mine, await t.user(site))
  const tickets = [
    await readyTicket(t, site, theirs, user),
    await readyTicket(t, elsewhere, stray, abroad),
    'A'.repeat(43),
    user.id,
  ]
  const number = { mobilePrefix: '86', mobile: fresh.mobile() }
  const calls: Call[] = [
    (ticket) => mine.call(sendRecoveryEmailCode, { ticket }),
    (ticket) => mine.call(proveRecovery, { ticket, code: '000000' }),
    (ticket) => mine.call(startRecovery, { ticket }),
    (ticket) => mine.call(sendRecoveryMobileCode, { ticket, ...number }),
    (ticket) => mine.call(finishRecovery, { ticket, ...number, code: '000000' }),
    (ticket) => mine.call(finishFactorRecovery, { ticket }),
    (ticket) => mine.call(undoByRecovery, { ticket, newPassword: 'Neu#2026undo' }),
  ]
  for (const call of calls) expect(alike(await Promise.all(tickets.map(call)))).toBe('410 RECOVERY_EXPIRED')
  const { rows } = await t.deps.pool.query(
    `SELECT substring(data->>'text' FROM '/recover/stop/([\\w-]{43})') AS token FROM pgboss.job
      WHERE data->>'to' = $1 AND data->>'text' LIKE '%/recover/stop/%'`,
    [abroad.email],
  )
  const tokens = [String(rows[0]?.token), 'A'.repeat(43)]
  const byLink: Call[] = [
    (token) => mine.call(stopNoticedRecovery, { token }),
    // A link is good for what it was sent for alone.
    (token) => mine.call(readNoticedSignIn, { token }),
    (token) => mine.call(disownNoticedSignIn, { token }),
    (token) => stray.call(disownNoticedSignIn, { token }),
  ]
  for (const call of byLink) expect(alike(await Promise.all(tokens.map(call)))).toBe('410 NOTICE_EXPIRED')
  expect((await stray.call(stopNoticedRecovery, { token: tokens[0] ?? '' })).status).toBe(200)
})

test('A22 links that undo a change: of another site, with a change of another account, and made-up ones are refused alike', async () => {
  const [own, other, abroad] = [
    await changedAccount(t, site),
    await changedAccount(t, site),
    await changedAccount(t, elsewhere),
  ]
  const mine = t.browser(site)
  const newPassword = 'Neu#2026undo'
  const tokens = [abroad.token, 'A'.repeat(43)]
  const byLink: Call[] = [
    (token) => mine.call(readUndo, { token }),
    (token) => mine.call(sendUndoCode, { token, from: own.from }),
    (token) => mine.call(applyUndo, { token, from: own.from, password: own.password, newPassword }),
  ]
  for (const call of byLink) expect(alike(await Promise.all(tokens.map(call)))).toBe('410 NOTICE_EXPIRED')
  const { token } = own
  const byChange: Call[] = [
    (from) => mine.call(sendUndoCode, { token, from }),
    (from) => mine.call(applyUndo, { token, from, password: own.password, newPassword }),
  ]
  const changes = [other.from, abroad.from, randomUUID()]
  for (const call of byChange) expect(alike(await Promise.all(changes.map(call)))).toBe('410 NOTICE_EXPIRED')
  expect((await mine.call(applyUndo, { token, from: own.from, password: own.password, newPassword })).status).toBe(200)
})

/** Requested by the right code of a number that was not proved for long. */
async function confirmTicket(at: TestSite, browser = t.browser(at)): Promise<string> {
  const { id, mobile } = await t.user(at)
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [id])
  const { details } = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  return String(details.ticket)
}

test('A22 tickets of a sign-in that waits for a second proof are refused alike, unless it is the own one', async () => {
  const mine = t.browser(site)
  const own = await confirmTicket(site, mine)
  const tickets = [await confirmTicket(site), await confirmTicket(elsewhere), 'A'.repeat(43), randomUUID()]
  const calls: Call[] = [
    (ticket) => mine.call(confirmLogin, { ticket, mine: true, password: 'Wrong#2026x' }),
    (ticket) => mine.call(confirmLogin, { ticket, mine: false }),
    (ticket) => mine.call(sendConfirmCode, { ticket }),
  ]
  for (const call of calls) expect(alike(await Promise.all(tickets.map(call)))).toBe('409 LOGIN_CONFIRM_EXPIRED')
  expect((await mine.call(confirmLogin, { ticket: own, mine: false })).status).toBe(200)
})

test("A22 tickets of another client, of another site and made-up ones give a client's server the same: nothing", async () => {
  const [here, there] = [
    await t.session(site, (await t.user(site)).id),
    await t.session(elsewhere, (await t.user(elsewhere)).id),
  ]
  const mine = ticketIn((await bind(here, await createId(here))).data) ?? ''
  const tickets = [
    ticketIn((await bind(here, await createId(here, `${forum.sources[0]}/`))).data) ?? '',
    ticketIn((await bind(there, await createId(there))).data) ?? '',
    'A'.repeat(43),
    here.id,
  ]
  expect(alike(await Promise.all(tickets.map((ticket) => exchange(t, site, ticket))))).toBe('400 AUTHORIZE_TICKET')
  expect((await exchange(t, site, mine)).data?.id).toBe(here.id)
})

test('A22 a version that only another site has is no version here', async () => {
  const [here, there] = [await callerOf(t, 'merchantAdmin', site), await callerOf(t, 'merchantAdmin', elsewhere)]
  const { data } = await there.call(updateConfig, { config: codeConfig({ name: '别站' }) })
  const versions = [data?.version ?? 0, 999]
  const calls = [
    (version: number) => here.call(openConfig, { version }),
    (version: number) => here.call(restoreConfig, { version }),
  ]
  for (const call of calls) expect(alike(await Promise.all(versions.map(call)))).toBe('404 NOT_FOUND')
  expect((await there.call(openConfig, { version: data?.version ?? 0 })).status).toBe(200)
  reportAlike('foreign tickets, links and requests', 55)
})
