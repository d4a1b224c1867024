import { randomBytes } from 'node:crypto'
import { removeOtherDevices } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest } from '@hufu/contract/scan-login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { check, decide, hasSession, showCode, type Waiting } from '../harness/scan.ts'

let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  elsewhere = await t.codeSite()
})
afterAll(() => t.close())

const user = async (at = site): Promise<User> => t.session(at, (await t.user(at)).id)

async function approved(): Promise<Waiting & { approver: User }> {
  const waiting = await showCode(t, site)
  const approver = await user()
  await decide(approver, waiting.request, 0)
  expect((await decide(approver, waiting.request, 1)).status).toBe(200)
  return { ...waiting, approver }
}

const sessionsOf = async (userId: string): Promise<number> => {
  const { rows } = await t.deps.pool.query(
    "SELECT count(*)::int AS found FROM session WHERE site_id = $1 AND user_id = $2 AND method = 'scan'",
    [site.id, userId],
  )
  return rows[0].found as number
}

test('A30 who knows the request but not the secret of its browser gets neither status nor session', async () => {
  const { request, approver, browser, cookie } = await approved()
  const own = await showCode(t, site)
  const secret = browser.cookies.get(cookie) ?? ''
  const attempts: Record<string, [TestSite, string | undefined]> = {
    'the id alone': [site, undefined],
    'an empty cookie': [site, ''],
    "another request's secret": [site, own.browser.cookies.get(own.cookie)],
    'the secret cut short': [site, secret.slice(0, -1)],
    'the secret with more': [site, `${secret}A`],
    'the secret in another case': [site, secret.toLowerCase()],
    'the right secret at another site': [elsewhere, secret],
  }
  const answers = []
  for (const [at, value] of Object.values(attempts)) {
    const thief = t.browser(at)
    if (value !== undefined) thief.cookies.set(cookie, value)
    answers.push(await check({ browser: thief, request }))
    expect(hasSession(thief)).toBe(false)
  }
  answers.push(await check({ browser: approver, request }))
  // As for a request that never was.
  const unknown = { ...request, id: randomBytes(16).toString('base64url') }
  answers.push(await check({ browser: t.browser(site), request: unknown }))
  expect([...new Set(answers.map(({ status, body }) => `${status} ${body}`))]).toHaveLength(1)
  expect(await sessionsOf(approver.id)).toBe(0)
  figure('ways without the secret', answers.length, ['>=', 9])
  figure('sessions by them', await sessionsOf(approver.id), ['=', 0])
  expect((await check({ browser, request })).data).toEqual({ status: 1 })
})

test('A30 a forged time or address is no request, for the waiting side and for the approving one', async () => {
  const waiting = await showCode(t, site)
  const approver = await user()
  const { request } = waiting
  const forged = [
    { ...request, time: request.time + 1 },
    { ...request, time: 0 },
    { ...request, ip: '203.0.113.9' },
    { ...request, ip: request.ip.toUpperCase() === request.ip ? '::1' : request.ip.toUpperCase() },
  ]
  for (const wrong of forged) {
    expect((await check({ browser: waiting.browser, request: wrong })).code).toBe('LOGIN_REQUEST_EXPIRED')
    for (const status of [0, 1, 2] as const) {
      expect((await decide(approver, wrong, status)).code).toBe('LOGIN_REQUEST_EXPIRED')
    }
  }
  expect((await check(waiting)).data).toEqual({ status: -1 })
  const foreign = await user(elsewhere)
  for (const status of [0, 1, 2] as const) {
    expect((await decide(foreign, request, status)).code).toBe('LOGIN_REQUEST_EXPIRED')
  }
  expect((await check(waiting)).data).toEqual({ status: -1 })
})

test('A30 of many approvers at once one wins, and only their account is signed in', async () => {
  const rounds = few(40, 4)
  let winners = 0
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const users = await Promise.all(times(6, () => user()))
    const scans = await Promise.all(users.map((each) => decide(each, waiting.request, 0)))
    expect(tally(scans.map(({ code, status }) => code ?? status))).toEqual({ '200': 1, LOGIN_REQUEST_TAKEN: 5 })
    const winner = users[scans.findIndex(({ status }) => status === 200)] as User
    const taps = await Promise.all(users.map((each) => decide(each, waiting.request, 1)))
    winners += taps.filter(({ status }) => status === 200).length
    expect(taps.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await check(waiting)).data).toEqual({ status: 1 })
    expect((await waiting.browser.call(userInfo)).data?.id).toBe(winner.id)
  }
  figure('winners of six approvers at once, a round', winners / rounds, ['=', 1])
})

test('A30 approving against rejecting at once: one decision stands, and it is the one that is returned', async () => {
  const rounds = few(60, 4)
  const stood = []
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const approver = await user()
    await decide(approver, waiting.request, 0)
    const [yes, no] = await Promise.all([
      decide(approver, waiting.request, round % 2 === 0 ? 1 : 2),
      decide(approver, waiting.request, round % 2 === 0 ? 2 : 1),
    ])
    const answers = [yes, no].map(({ status, code }) => code ?? status)
    expect(answers.toSorted()).toEqual([200, 'LOGIN_REQUEST_DONE'])
    const { data } = await check(waiting)
    const decision = (yes.status === 200) === (round % 2 === 0) ? 1 : 2
    expect(data).toEqual({ status: decision })
    expect(hasSession(waiting.browser)).toBe(decision === 1)
    expect(await sessionsOf(approver.id)).toBe(decision === 1 ? 1 : 0)
    stood.push(decision)
  }
  console.log(`A30: ${rounds} times approve against reject, what stood: ${JSON.stringify(tally(stood))}`)
  figure('decisions that stood of approve against reject, a round', stood.length / rounds, ['=', 1])
})

test('A30 one session a request: many concurrent polls share it, and after 10 s it is not given again', async () => {
  const waiting = await approved()
  const copies = times(20, () => {
    const browser = t.browser(site)
    for (const [name, value] of waiting.browser.cookies) browser.cookies.set(name, value)
    return { ...waiting, browser }
  })
  const answers = await Promise.all(copies.map(check))
  expect(answers.every(({ data }) => data?.status === 1)).toBe(true)
  expect(new Set(copies.map(({ browser }) => browser.cookies.get('__Host-hufu'))).size).toBe(1)
  figure('sessions of one request polled twenty times at once', await sessionsOf(waiting.approver.id), ['=', 1])
  await t.deps.pool.query("UPDATE session SET created_at = created_at - interval '10 seconds' WHERE id = $1", [
    sessionOf(copies[0]?.browser ?? waiting.browser),
  ])
  const late = await Promise.all(times(10, () => check(waiting)))
  expect(tally(late.map(({ code }) => code))).toEqual({ LOGIN_REQUEST_EXPIRED: 10 })
  expect(hasSession(waiting.browser)).toBe(false)
  expect(await sessionsOf(waiting.approver.id)).toBe(1)
})

test('A30 after signing out everywhere no earlier approval signs the user in, however long its browser waits', async () => {
  const rounds = few(40, 4)
  for (let round = 0; round < rounds; round++) {
    const waiting = await approved()
    const owner = await t.session(site, waiting.approver.id)
    // At once in half of the rounds: either the session came before and is ended, or there is none.
    const asks = round % 2 === 0 ? [check(waiting)] : []
    await Promise.all([owner.call(removeOtherDevices), ...asks])
    await check(waiting)
    const { status } = await waiting.browser.call(userInfo)
    expect(status).toBe(401)
    expect((await owner.call(userInfo)).status).toBe(200)
  }
  figure('rounds signed out everywhere after approving', rounds, ['>=', 4])
})

test('A30 guessing ids and secrets finds nothing', async () => {
  const { request } = await approved()
  const guesses = few(5_000, 100)
  const codes = await together(guesses, 50, async (index) => {
    const thief = t.browser(site)
    const guessed = index % 2 === 0 ? request : { ...request, id: randomBytes(16).toString('base64url') }
    thief.cookies.set(`__Host-hufu-scan-${guessed.id}`, randomBytes(32).toString('base64url'))
    const { code, status } = await thief.call(checkScanRequest, guessed)
    return hasSession(thief) ? 'session' : (code ?? status)
  })
  expect(tally(codes)).toEqual({ LOGIN_REQUEST_EXPIRED: guesses })
  figure('guesses at an approved request admitted', codes.filter((code) => code === 'session').length, ['=', 0])
})
