import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import {
  finishRecovery,
  openRecovery,
  proveRecovery,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
} from '@hufu/contract/recovery'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoSms } from '../../../../../tools/simulators/demo-gateways.ts'
import { type Member, member, password, signInAgain } from '../../../test/account-user.ts'
import { eventsOf } from '../../../test/operator.ts'
import { solvePow } from '../../../test/pow-solution.ts'
import {
  finish,
  mailedCode,
  openTicket,
  pass,
  provedTicket,
  readyTicket,
  wantedNumber,
} from '../../../test/recovering.ts'
import {
  codeTo,
  fresh,
  messagesTo,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
  wrongCode,
} from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { changeStatus, createUser } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const hour = 3_600_000

async function notices({ mobile, email }: Member) {
  const { rows } = await t.deps.pool.query(
    `SELECT name, data FROM pgboss.job WHERE name IN ('mail-notice', 'sms-notice')
      AND (data->>'to' = $1 OR data->>'mobile' = $2) ORDER BY created_on, name`,
    [email, mobile],
  )
  return rows as { name: string; data: Record<string, string> }[]
}

const recoveriesOf = async ({ id }: Member) =>
  (await t.deps.pool.query('SELECT id FROM recovery WHERE user_id = $1', [id])).rows
/** The next step after the password. */
const events = async ({ id }: Member) =>
  (await eventsOf(t, site, id)).map(({ event }) => event).filter((event) => /^recovery\.(?!open)/.test(event))
const openings = async ({ id }: Member, at = site) =>
  (await eventsOf(t, at, id)).filter(({ event }) => event === 'recovery.open').map(({ address }) => address)
const login = (account: string) => t.call(site, loginByPassword, { account, password })

describe('the way back', () => {
  test('password, mailed code, 72 hours, a new number: then it signs in, the old one and every session do not', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const opened = await browser.call(openRecovery, { account: user.mobile, password })
    expect(opened).toMatchObject({ status: 200, data: { email: `${user.email.slice(0, 2)}****@example.com` } })
    const ticket = opened.data?.ticket ?? ''
    const code = await mailedCode(t, site, browser, ticket, user.email)
    expect((await messagesTo(user.email))[0]).toMatchObject({ subject: expect.stringContaining('找回账号验证码') })
    const none = { stage: 'none', purpose: null, protected: false, ready: null, expires: null }
    expect((await browser.call(proveRecovery, { ticket, code })).data).toEqual(none)
    expect(await events(user)).toEqual([])

    const begun = (await browser.call(startRecovery, { ticket })).data
    expect(begun?.stage).toBe('waiting')
    expect((begun?.ready ?? 0) - Date.now()).toBeGreaterThan(72 * hour - 60_000)
    expect((begun?.ready ?? 0) - Date.now()).toBeLessThan(72 * hour + 60_000)
    expect((begun?.expires ?? 0) - (begun?.ready ?? 0)).toBe(7 * 24 * hour)
    expect((await user.call(userInfo)).data?.recovery).toBe(begun?.ready)

    await pass(t, user.id, '72 hours')
    const later = t.browser(site)
    const again = await provedTicket(t, site, later, user)
    expect(again.standing.stage).toBe('ready')
    const wanted = await wantedNumber(later, again.ticket)
    expect(await later.call(finishRecovery, wanted)).toMatchObject({ status: 200, data: null })
    expect(later.cookies.has('__Host-hufu')).toBe(false)
    expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
    expect((await login(wanted.mobile)).data?.id).toBe(user.id)
    expect((await login(user.mobile)).code).toBe('LOGIN_FAILED')
    expect((await t.signIn(site, { mobile: user.mobile })).id).not.toBe(user.id)
    expect(await events(user)).toEqual(['recovery.start', 'recovery.finish'])
    expect(await recoveriesOf(user)).toEqual([])
  })

  test('the account shows the new number at once, though the old one was cached', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const wanted = await wantedNumber(browser, await readyTicket(t, site, browser, user))
    // The tombstone that the start of the recovery left is gone long before the 72 hours are over.
    const cached = `{${site.id}:${user.id}}:u2`
    await t.deps.cache.del(cached)
    expect((await user.call(userInfo)).data?.mobile).toBe(user.mobile)
    expect(await t.deps.cache.get(cached)).toContain(user.mobile)
    expect((await browser.call(finishRecovery, wanted)).status).toBe(200)
    const again = await signInAgain(t, site, user)
    expect((await again.call(userInfo)).data?.mobile).toBe(wanted.mobile)
  })

  test('every contact is notified at the beginning and at the end; the mail has the link that stops it', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    const [mail, text] = await notices(user)
    expect(mail).toMatchObject({ name: 'mail-notice', data: { subject: '您的账号申请更换手机号' } })
    expect(mail?.data.text).toMatch(new RegExp(`\n${site.origin}/recover/stop/[\\w-]{43}$`))
    expect(text).toMatchObject({ name: 'sms-notice', data: { mobile: user.mobile, event: '申请更换手机号' } })
    expect((await finish(browser, ticket)).status).toBe(200)
    expect((await notices(user)).slice(2)).toMatchObject([
      { name: 'mail-notice', data: { subject: '您的账号更换了绑定的手机号' } },
      { name: 'sms-notice', data: { mobile: user.mobile, event: '更换了绑定的手机号' } },
    ])
  })

  test('the new number counts as proved now, however long the old one was not', async () => {
    const user = await member(t, site)
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '200 days' WHERE user_id = $1", [user.id])
    const browser = t.browser(site)
    const mobile = fresh.mobile()
    expect((await finish(browser, await readyTicket(t, site, browser, user), mobile)).status).toBe(200)
    await t.passMinute(site, `+86${mobile}`)
    expect((await t.signIn(site, { mobile })).id).toBe(user.id)
  })

  test('an account that is to be erased can still be recovered, one that is due cannot', async () => {
    const user = await member(t, site)
    const close = 'INSERT INTO deletion (site_id, user_id, due_at) VALUES ($1, $2, now() + $3::interval)'
    await t.deps.pool.query(close, [site.id, user.id, '7 days'])
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    const wanted = await wantedNumber(browser, ticket)
    await t.deps.pool.query('UPDATE deletion SET due_at = now() WHERE user_id = $1', [user.id])
    expect((await browser.call(finishRecovery, wanted)).code).toBe('RECOVERY_EXPIRED')
    await t.deps.pool.query("UPDATE deletion SET due_at = now() + interval '1 day' WHERE user_id = $1", [user.id])
    expect((await browser.call(finishRecovery, wanted)).status).toBe(200)
  })
})

describe('the password', () => {
  test('nothing is revealed of an account before it: unknown, without password, disabled or without e-mail, all alike', async () => {
    const disabled = await member(t, site)
    await changeStatus(t.deps, site.id, disabled.id as UserId, 'disabled', 'test')
    const mobile = fresh.mobile()
    await createUser(t.deps, site.id, { mobile }, 'test')
    const users = [disabled, await member(t, site), await member(t, site, { email: undefined })]
    const accounts = [...users.map(({ username }) => username), fresh.username(), mobile, fresh.email(), '？']
    for (const account of accounts) {
      const { status, code, details } = await t.call(site, openRecovery, { account, password: 'Wrong#2026x' })
      expect({ status, code, details }).toEqual({ status: 400, code: 'LOGIN_FAILED', details: undefined })
    }
  })

  test('right is on record with its address, every time and whatever is answered; wrong it is a failure', async () => {
    const [user, mute] = [await member(t, site), await member(t, site, { email: undefined })]
    const browser = t.browser(site, { address: '198.51.100.9' })
    for (const { username } of [user, mute, user]) await browser.call(openRecovery, { account: username, password })
    await browser.call(openRecovery, { account: user.username, password: 'Wrong#2026x' })
    expect(await openings(user)).toEqual(['198.51.100.9', '198.51.100.9'])
    expect(await openings(mute)).toEqual(['198.51.100.9'])
    expect((await eventsOf(t, site, user.id)).filter(({ event }) => event === 'login.failed')).toHaveLength(1)
  })

  test('does not help where no SMS can be sent: only the mailbox would be notified', async () => {
    const gateways = demoSms.gateways.map(({ templates: { login, twoFactor }, ...gateway }) => ({
      ...gateway,
      templates: { login, twoFactor },
    }))
    for (const sms of [{ gateways }, {}]) {
      const mute = await t.codeSite({ sms })
      const { username } = await member(t, mute)
      const answer = await t.call(mute, openRecovery, { account: username, password })
      expect(answer).toMatchObject({ status: 409, code: 'RECOVERY_CONTACT' })
      const wrong = await t.call(mute, openRecovery, { account: username, password: 'Wrong#2026x' })
      expect(wrong.code).toBe('LOGIN_FAILED')
    }
  })

  test('of a disabled account, of one without number or e-mail and on a site without passwords: each refusal', async () => {
    const user = await member(t, site)
    await changeStatus(t.deps, site.id, user.id as UserId, 'disabled', 'test')
    expect((await t.call(site, openRecovery, { account: user.username, password })).code).toBe('ACCOUNT_DISABLED')
    for (const without of [{ email: undefined }, { mobile: undefined }]) {
      const { username } = await member(t, site, without)
      const answer = await t.call(site, openRecovery, { account: username, password })
      expect(answer).toMatchObject({ status: 409, code: 'RECOVERY_CONTACT' })
    }
    const closed = await t.codeSite({ methods: ['mobile'] })
    expect((await t.call(closed, openRecovery, { account: 'unknown', password })).code).toBe('METHOD_DISABLED')
  })
})

describe('guessing', () => {
  const guess = (account: string) => ({ account, password: 'Wrong#2026x' })
  /** Strangers fail at the account until unknown browsers can't sign in by password. */
  async function besieged(limit: number) {
    const few = await t.codeSite({ limits: { passwordFailures: limit } })
    const user = await member(t, few)
    for (let tried = 0; tried < limit * 2; tried++) await t.call(few, loginByPassword, guess(user.username))
    expect((await t.call(few, loginByPassword, { account: user.email, password })).code).toBe('LOGIN_PAUSED')
    return { few, user }
  }
  async function solved(browser: TestBrowser, login: { account: string; password: string }) {
    const { code, details } = await browser.call(openRecovery, login)
    expect(code).toBe('PROOF_REQUIRED')
    return { ...login, proof: await solvePow(details) }
  }

  test('A42 of strangers costs the user a proof and not the way, however often they fail', async () => {
    const { few, user } = await besieged(2)
    for (let tried = 0; tried < 6; tried++) await t.call(few, openRecovery, guess(user.mobile))
    const browser = t.browser(few, { address: '198.51.100.20' })
    const right = { account: user.username, password }
    expect((await browser.call(openRecovery, { ...right, proof: 'rubbish' })).code).toBe('PROOF_REQUIRED')
    const proved = await solved(browser, right)
    expect((await browser.call(openRecovery, proved)).status).toBe(200)
  })

  test('is counted together with sign-ins: over the limit each try costs a proof, and each proof is one try', async () => {
    const { few, user } = await besieged(1)
    const browser = t.browser(few, { address: '198.51.100.21' })
    const proved = await solved(browser, guess(user.email))
    expect((await browser.call(openRecovery, proved)).code).toBe('LOGIN_FAILED')
    expect((await browser.call(openRecovery, proved)).code).toBe('PROOF_REQUIRED')
  })

  test('from one address ends at the limit, of many at once too, with a right password too; another address goes on', async () => {
    const { few, user } = await besieged(2)
    const browser = t.browser(few, { address: '198.51.100.22' })
    const tries = []
    for (const account of [user.username, user.email, user.mobile, user.username, user.email])
      tries.push(await solved(browser, guess(account)))
    const codes = (await Promise.all(tries.map((one) => browser.call(openRecovery, one)))).map(({ code }) => code)
    expect(codes.sort()).toEqual([...times(2, () => 'LOGIN_FAILED'), ...times(3, () => 'LOGIN_PAUSED')])
    const right = { account: user.username, password }
    const paused = await browser.call(openRecovery, await solved(browser, right))
    expect(paused).toMatchObject({ status: 429, code: 'LOGIN_PAUSED' })
    expect(paused.details.retryAfter).toBeLessThanOrEqual(900)
    const elsewhere = t.browser(few, { address: '198.51.100.23' })
    expect((await elsewhere.call(openRecovery, await solved(elsewhere, right))).status).toBe(200)
  })

  test('A04 from ever new addresses ends at ten times the limit an hour, over all names; a known browser goes on', async () => {
    const { few, user } = await besieged(1)
    const names = [user.username, user.email, user.mobile]
    const codes = []
    for (let tried = 0; tried < 12; tried++) {
      const browser = t.browser(few, { address: `198.51.100.${30 + tried}` })
      const answer = await browser.call(openRecovery, await solved(browser, guess(names[tried % 3] ?? '')))
      codes.push(answer.code)
      if (answer.code === 'LOGIN_PAUSED') expect(answer.details.retryAfter).toBeGreaterThan(900)
    }
    expect(codes).toEqual([...times(10, () => 'LOGIN_FAILED'), ...times(2, () => 'LOGIN_PAUSED')])
    expect((await user.call(openRecovery, { account: user.username, password })).status).toBe(200)
  })

  test('tries without the proof that they owe are no tries: they use nothing up', async () => {
    const { few, user } = await besieged(1)
    const browser = t.browser(few, { address: '198.51.100.50' })
    for (let tried = 0; tried < 15; tried++)
      expect((await browser.call(openRecovery, guess(user.username))).code).toBe('PROOF_REQUIRED')
    const right = await solved(browser, { account: user.username, password })
    expect((await browser.call(openRecovery, right)).status).toBe(200)
  })
})

describe('a ticket', () => {
  test('is refused alike from another browser, on another site, when it is old, made up or overused', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, user)
    const elsewhere = await t.codeSite()
    const abroad = t.browser(elsewhere)
    for (const [name, value] of browser.cookies) abroad.cookies.set(name, value)
    for (const stranger of [t.browser(site), abroad, user])
      expect(await stranger.call(startRecovery, { ticket })).toMatchObject({ status: 410, code: 'RECOVERY_EXPIRED' })
    expect((await browser.call(startRecovery, { ticket: 'A'.repeat(43) })).code).toBe('RECOVERY_EXPIRED')
    await t.deps.pool.query("UPDATE recovery_ticket SET expires_at = expires_at - interval '10 minutes'")
    expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
    await t.deps.pool.query("UPDATE recovery_ticket SET expires_at = now() + interval '1 minute', tries = 39")
    expect((await browser.call(startRecovery, { ticket })).status).toBe(200)
    expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
  })

  test('without the mailed code begins and ends nothing', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const number = { mobilePrefix: '86', mobile: fresh.mobile() }
    const proved = await readyTicket(t, site, browser, user)
    const { code } = await wantedNumber(browser, proved, number.mobile)
    const ticket = await openTicket(browser, user.username)
    expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
    expect((await browser.call(sendRecoveryMobileCode, { ticket, ...number })).code).toBe('RECOVERY_EXPIRED')
    expect((await browser.call(finishRecovery, { ticket, ...number, code })).code).toBe('RECOVERY_EXPIRED')
    expect((await browser.call(finishRecovery, { ticket: proved, ...number, code })).status).toBe(200)
  })

  test('is worth nothing after the recovery it ended, nor is any other of the account', async () => {
    const user = await member(t, site)
    const [one, two] = [t.browser(site), t.browser(site)]
    const ticket = await readyTicket(t, site, one, user)
    const other = await provedTicket(t, site, two, user)
    expect((await finish(one, ticket)).status).toBe(200)
    expect((await one.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
    expect((await two.call(startRecovery, { ticket: other.ticket })).code).toBe('RECOVERY_EXPIRED')
  })
})

describe('codes', () => {
  test('the mailed one has five tries, is spent once and counts only for the ticket that asked for it', async () => {
    const user = await member(t, site)
    const [one, two] = [t.browser(site), t.browser(site)]
    const [mine, theirs] = [await openTicket(one, user.username), await openTicket(two, user.username)]
    const code = await mailedCode(t, site, one, mine, user.email)
    expect((await two.call(proveRecovery, { ticket: theirs, code })).code).toBe('CODE_WRONG')
    const guesses = await Promise.all(times(8, () => one.call(proveRecovery, { ticket: mine, code: wrongCode(code) })))
    expect(guesses.filter(({ code: told }) => told === 'CODE_WRONG')).toHaveLength(5)
    expect((await one.call(proveRecovery, { ticket: mine, code })).code).toBe('CODE_TRIES_EXCEEDED')
    const next = await mailedCode(t, site, one, mine, user.email)
    expect((await one.call(proveRecovery, { ticket: mine, code: next })).status).toBe(200)
    expect((await one.call(proveRecovery, { ticket: mine, code: next })).code).toBe('CODE_WRONG')
  })

  test('a code for signing in is not one for recovering, and the other way round', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    const wanted = await wantedNumber(browser, ticket)
    const { mobilePrefix, mobile } = wanted
    const answer = await t.browser(site).call(loginByMobile, { mobilePrefix, mobile, code: wanted.code })
    expect(answer.code).toBe('CODE_WRONG')
    await t.passMinute(site, `+86${mobile}`)
    await browser.call(sendMobileCode, { mobilePrefix, mobile })
    const forLogin = await codeTo(mobile)
    if (forLogin !== wanted.code)
      expect((await browser.call(finishRecovery, { ...wanted, code: forLogin })).code).toBe('CODE_WRONG')
  })

  test("the old number's holder asks for codes, fails them and even signs in: the recovery goes on", async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    const holder = t.browser(site)
    const number = { mobilePrefix: '86', mobile: user.mobile }
    await holder.call(sendMobileCode, number)
    const code = await codeTo(user.mobile)
    for (let tried = 0; tried < 4; tried++) await holder.call(loginByMobile, { ...number, code: wrongCode(code) })
    expect((await holder.call(loginByMobile, { ...number, code })).data?.id).toBe(user.id)
    expect((await finish(browser, ticket)).status).toBe(200)
    expect((await holder.call(userInfo)).code).toBe('SESSION_REMOVED')
  })

  test('a gateway without a text for it uses the one for changing the number; its own goes first', async () => {
    const own = demoSms.gateways.map((gateway) => ({
      ...gateway,
      templates: { ...gateway.templates, recoveryMobile: gateway.templates.twoFactor },
    }))
    const withOwn = await t.codeSite({ sms: { gateways: own } })
    for (const [at, text] of [
      [site, '您正在更换绑定的手机号'],
      [withOwn, '您正在进行安全验证'],
    ] as const) {
      const browser = t.browser(at)
      const mobile = fresh.mobile()
      await wantedNumber(browser, await readyTicket(t, at, browser, await member(t, at)), mobile)
      expect((await messagesTo(mobile))[0]?.text).toContain(text)
    }
  })

  test('the address and the number are sent to no oftener than once a minute', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    expect((await browser.call(sendRecoveryEmailCode, { ticket })).code).toBe('CODE_SEND_LIMITED')
    const { mobilePrefix, mobile } = await wantedNumber(browser, ticket)
    const again = await browser.call(sendRecoveryMobileCode, { ticket, mobilePrefix, mobile })
    expect(again).toMatchObject({ status: 429, code: 'CODE_SEND_LIMITED' })
  })
})

describe('the wait', () => {
  test('is exact by the clock of the database, at both ends', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const number = { mobilePrefix: '86', mobile: fresh.mobile() }
    const { ticket } = await provedTicket(t, site, browser, user)
    expect((await browser.call(sendRecoveryMobileCode, { ticket, ...number })).code).toBe('RECOVERY_NONE')
    expect((await browser.call(finishRecovery, { ticket, ...number, code: '000000' })).code).toBe('RECOVERY_NONE')
    await browser.call(startRecovery, { ticket })
    await pass(t, user.id, '71:59:30')
    expect((await browser.call(sendRecoveryMobileCode, { ticket, ...number })).code).toBe('RECOVERY_WAITING')
    expect((await browser.call(finishRecovery, { ticket, ...number, code: '000000' })).code).toBe('RECOVERY_WAITING')
    await pass(t, user.id, '30 seconds')
    const wanted = await wantedNumber(browser, ticket, number.mobile)
    await pass(t, user.id, '7 days')
    expect((await browser.call(finishRecovery, wanted)).code).toBe('RECOVERY_NONE')
    expect((await t.signIn(site, { mobile: user.mobile })).id).toBe(user.id)
  })

  test('asked for again is the same wait without a second notice; one that has run out begins anew', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const { ticket } = await provedTicket(t, site, browser, user)
    const first = (await browser.call(startRecovery, { ticket })).data
    expect((await browser.call(startRecovery, { ticket })).data).toEqual(first)
    await pass(t, user.id, '72 hours')
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('ready')
    expect(await notices(user)).toHaveLength(2)
    await pass(t, user.id, '7 days')
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('waiting')
    expect(await notices(user)).toHaveLength(4)
    expect(await events(user)).toEqual(['recovery.start', 'recovery.start'])
  })

  test('begun by many at once, in two browsers, is one: one row, one entry, one set of notices', async () => {
    const user = await member(t, site)
    const browsers = [t.browser(site), t.browser(site)]
    const tickets = [
      await provedTicket(t, site, browsers[0] ?? user, user),
      await provedTicket(t, site, browsers[1] ?? user, user),
    ]
    const answers = await Promise.all(
      times(10, (n) => browsers[n % 2]?.call(startRecovery, { ticket: tickets[n % 2]?.ticket ?? '' })),
    )
    expect(new Set(answers.map((answer) => answer?.data?.ready)).size).toBe(1)
    expect(answers[0]?.data?.ready).toBeGreaterThan(0)
    expect(await recoveriesOf(user)).toHaveLength(1)
    expect(await notices(user)).toHaveLength(2)
    expect(await events(user)).toEqual(['recovery.start'])
  })
})

describe('the new number', () => {
  test('one of another user is refused after its code alone, and burns neither code nor ticket; the own one is the same', async () => {
    const [user, other] = [await member(t, site), await member(t, site)]
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, user)
    const taken = await wantedNumber(browser, ticket, other.mobile)
    expect((await browser.call(finishRecovery, { ...taken, code: wrongCode(taken.code) })).code).toBe('CODE_WRONG')
    for (let tried = 0; tried < 2; tried++)
      expect(await browser.call(finishRecovery, taken)).toMatchObject({ status: 409, code: 'MOBILE_TAKEN' })
    expect((await finish(browser, ticket, user.mobile)).code).toBe('UNCHANGED')
    expect((await finish(browser, ticket)).status).toBe(200)
    expect((await other.call(userInfo)).data?.mobile).toBe(other.mobile)
  })

  test('of no number, or of a region that the site does not serve, is refused', async () => {
    const browser = t.browser(site)
    const ticket = await readyTicket(t, site, browser, await member(t, site))
    for (const number of [
      { mobilePrefix: '86', mobile: '12345' },
      { mobilePrefix: '1', mobile: '2015550123' },
    ]) {
      expect((await browser.call(sendRecoveryMobileCode, { ticket, ...number })).code).toBe('MOBILE_INVALID')
      expect((await browser.call(finishRecovery, { ticket, ...number, code: '000000' })).code).toBe('MOBILE_INVALID')
    }
  })

  test('of many finishes at once, one sets it', async () => {
    const user = await member(t, site)
    const browser = t.browser(site)
    const wanted = await wantedNumber(browser, await readyTicket(t, site, browser, user))
    const answers = await Promise.all(times(4, () => browser.call(finishRecovery, wanted)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const spent = 'SELECT spent_at IS NOT NULL AS spent FROM code WHERE site_id = $1 AND receiver = $2'
    expect((await t.deps.pool.query(spent, [site.id, `+86${wanted.mobile}`])).rows).toEqual([{ spent: true }])
    expect(await events(user)).toEqual(['recovery.start', 'recovery.finish'])
    expect(await notices(user)).toHaveLength(4)
  })

  test('of two browsers that set two numbers at once, one does, and the account has that number alone', async () => {
    const user = await member(t, site)
    const [one, two] = [t.browser(site), t.browser(site)]
    const first = await wantedNumber(one, await readyTicket(t, site, one, user))
    const second = await wantedNumber(two, (await provedTicket(t, site, two, user)).ticket)
    const answers = await Promise.all([one.call(finishRecovery, first), two.call(finishRecovery, second)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { rows } = await t.deps.pool.query("SELECT value FROM identity WHERE user_id = $1 AND kind = 'mobile'", [
      user.id,
    ])
    expect(rows).toEqual([{ value: `+86${answers[0]?.status === 200 ? first.mobile : second.mobile}` }])
  })
})
