import { loginByMobile, sendConfirmCode } from '@hufu/contract/login'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode } from '@hufu/contract/two-factor'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoSms } from '../../../../../tools/simulators/demo-gateways.ts'
import { member } from '../../../test/account-user.ts'
import { solvePow, solving } from '../../../test/pow-solution.ts'
import {
  codeTo,
  fresh,
  messagesTo,
  startTestApp,
  type TestApp,
  type TestSite,
  times,
  wideLimits,
  wrongCode,
} from '../../../test/test-app.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { createUser } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const number = (mobile: string) => ({ mobilePrefix: '86', mobile })

test('S366 D020 a code of six digits is texted to the number', async () => {
  const mobile = fresh.mobile()
  const answer = await t.call(site, sendMobileCode, number(mobile))
  expect(answer).toMatchObject({ status: 200, data: { retryAfter: 60 } })
  const messages = await messagesTo(mobile)
  expect(messages).toHaveLength(1)
  expect(messages[0]?.text).toMatch(/^【青屿生活】您正在登录，验证码为\d{6}，5分钟内有效/)
})

test('S367 a code is mailed to the address that a signed-in user names, and never without a session', async () => {
  const email = fresh.email()
  const user = await t.signIn(site)
  expect(await t.call(site, sendEmailCode, { email, type: 'authorize' })).toMatchObject({ code: 'NOT_LOGGED_IN' })
  expect(await user.call(sendEmailCode, { email: `  ${email.toUpperCase()} `, type: 'authorize' })).toMatchObject({
    status: 200,
  })
  expect(await codeTo(email)).toMatch(/^\d{6}$/)
})

test('S292 S293 S429 D021 no second code within 60 s over all purposes, one right after', async () => {
  const user = await t.signIn(site)
  const stranger = t.browser(site)
  const mobile = fresh.mobile()
  expect((await stranger.call(sendMobileCode, number(mobile))).status).toBe(200)
  const refused = await user.call(sendMobileCode, number(mobile))
  expect(refused).toMatchObject({ status: 429, code: 'CODE_SEND_LIMITED' })
  expect(refused.details.retryAfter).toBeGreaterThan(55)
  expect(refused.details.retryAfter).toBeLessThanOrEqual(60)
  await t.passMinute(site, `+86${mobile}`)
  expect((await user.call(sendMobileCode, number(mobile))).status).toBe(200)
  expect((await messagesTo(mobile))[0]?.text).toContain('更换绑定的手机号')
})

test('of twenty sends to one number at once exactly one is sent', async () => {
  const mobile = fresh.mobile()
  const replies = await Promise.all(times(20, () => t.call(site, sendMobileCode, number(mobile))))
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
  expect(replies.filter((reply) => reply.code === 'CODE_SEND_LIMITED')).toHaveLength(19)
  expect(await messagesTo(mobile)).toHaveLength(1)
})

test('D054 a resend within its life repeats the live code, and tries carry over', async () => {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const first = await codeTo(mobile)
  for (let tried = 0; tried < 3; tried++)
    await browser.call(loginByMobile, { ...number(mobile), code: wrongCode(first) })
  await t.passMinute(site, `+86${mobile}`)
  await browser.call(sendMobileCode, number(mobile))
  expect(await codeTo(mobile)).toBe(first)
  await browser.call(loginByMobile, { ...number(mobile), code: wrongCode(first) })
  await browser.call(loginByMobile, { ...number(mobile), code: wrongCode(first) })
  expect(await browser.call(loginByMobile, { ...number(mobile), code: first })).toMatchObject({
    code: 'CODE_TRIES_EXCEEDED',
  })
})

test('D022 after five wrong tries the right code no longer works; a new send brings a new code', async () => {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const right = await codeTo(mobile)
  const wrong = { ...number(mobile), code: wrongCode(right) }
  const replies = await Promise.all(times(20, () => browser.call(loginByMobile, wrong)))
  expect(replies.filter((reply) => reply.code === 'CODE_WRONG')).toHaveLength(5)
  expect(replies.filter((reply) => reply.code === 'CODE_TRIES_EXCEEDED')).toHaveLength(15)
  expect(await browser.call(loginByMobile, { ...number(mobile), code: right })).toMatchObject({
    status: 429,
    code: 'CODE_TRIES_EXCEEDED',
  })
  await t.passMinute(site, `+86${mobile}`)
  await browser.call(sendMobileCode, number(mobile))
  expect((await browser.call(loginByMobile, { ...number(mobile), code: await codeTo(mobile) })).status).toBe(200)
})

test('tries of other browsers use up nothing of the browser that asked', async () => {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const right = await codeTo(mobile)
  await Promise.all(times(50, () => t.call(site, loginByMobile, { ...number(mobile), code: wrongCode(right) })))
  expect((await browser.call(loginByMobile, { ...number(mobile), code: right })).status).toBe(200)
})

test('D020 a code works once, also when it is used fifty times at once', async () => {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const login = { ...number(mobile), code: await codeTo(mobile) }
  const replies = await Promise.all(times(50, () => browser.call(loginByMobile, login)))
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
  expect(await browser.call(loginByMobile, login)).toMatchObject({ status: 400, code: 'CODE_WRONG' })
})

test('a code that was used a moment ago is wrong, not tried too often', async () => {
  for (let round = 0; round < 30; round++) {
    const mobile = fresh.mobile()
    const browser = t.browser(site)
    await browser.call(sendMobileCode, number(mobile))
    const login = { ...number(mobile), code: await codeTo(mobile) }
    const replies = await Promise.all(times(3, () => browser.call(loginByMobile, login)))
    expect(replies.map(({ code }) => code ?? 'in').sort()).toEqual(['CODE_WRONG', 'CODE_WRONG', 'in'])
  }
})

test('D020 a code works for 5 minutes and not a second longer', async () => {
  const mobile = fresh.mobile()
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const login = { ...number(mobile), code: await codeTo(mobile) }
  const move = (seconds: number) =>
    t.deps.pool.query(
      'UPDATE code SET expires_at = expires_at - make_interval(secs => $3) WHERE site_id = $1 AND receiver = $2',
      [site.id, `+86${mobile}`, seconds],
    )
  await move(301)
  expect(await browser.call(loginByMobile, login)).toMatchObject({ code: 'CODE_WRONG' })
  await move(-11)
  expect((await browser.call(loginByMobile, login)).status).toBe(200)
})

/** A browser that has signed in before and is signed out now. */
async function knownBrowser(at: TestSite) {
  const user = await t.signIn(at)
  user.cookies.delete('__Host-hufu')
  await t.passMinute(at, `+86${user.mobile}`)
  return user
}

test('D023 more than 5 sends an hour to one receiver are refused with the time to wait', async () => {
  const strict = await t.codeSite({ limits: {} })
  const user = await knownBrowser(strict)
  for (let sent = 1; sent < 5; sent++) {
    expect((await user.call(sendMobileCode, number(user.mobile))).status).toBe(200)
    await t.passMinute(strict, `+86${user.mobile}`)
  }
  const refused = await user.call(sendMobileCode, number(user.mobile))
  expect(refused).toMatchObject({ status: 429, code: 'CODE_SEND_LIMITED', details: { retryAfter: expect.any(Number) } })
})

test('more than 10 sends a day to one receiver are refused, however they are spread over its hours', async () => {
  const strict = await t.codeSite({ limits: {} })
  const user = await knownBrowser(strict)
  const ask = () => user.call(sendMobileCode, number(user.mobile))
  const pass = (time: string) =>
    t.deps.pool.query('UPDATE code_send SET at = at - $2::interval WHERE site_id = $1', [strict.id, time])
  for (let sent = 1; sent < 10; sent++) {
    expect((await ask()).status).toBe(200)
    await t.passMinute(strict, `+86${user.mobile}`)
    await pass('61 minutes')
  }
  expect(await ask()).toMatchObject({ status: 429, code: 'CODE_SEND_LIMITED', details: { retryAfter: 86_400 } })
  await pass('15 hours')
  expect((await ask()).status).toBe(200)
})

describe('D111 of a receiver’s sends strangers get at most 3 of the 5 an hour and 6 of the 10 a day', () => {
  /** The product's own limits but for those of the one address that all ask from. */
  const oneAddress = { addressProof: 1_000, addressHour: 1_000 }

  /** Strangers request codes until they are refused, in parallel rounds. */
  async function fill(at: TestSite, mobile: string, most: number, each: string) {
    for (let sent = 0; sent < most; sent++) {
      const replies = await Promise.all(times(3, () => t.call(at, sendMobileCode, number(mobile))))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      await t.passMinute(at, `+86${mobile}`)
      await t.deps.pool.query('UPDATE code_send SET at = at - $2::interval WHERE site_id = $1', [at.id, each])
    }
  }

  test.each([
    ['the hour', 3, '1 second', 3_600, 2],
    ['the day', 6, '61 minutes', 86_400, 4],
  ])('%s: the account’s session and its known browser get the rest', async (_title, most, each, retryAfter, rest) => {
    const strict = await t.codeSite({ limits: oneAddress })
    const mobile = fresh.mobile()
    const id = await createUser(t.deps, strict.id, { mobile }, 'test')
    // Long enough ago that it is none of the sends that count.
    const user = await t.signIn(strict, { mobile })
    await t.deps.pool.query("UPDATE code_send SET at = at - interval '25 hours' WHERE site_id = $1", [strict.id])
    await t.passMinute(strict, `+86${mobile}`)
    await fill(strict, mobile, most, each)
    const refused = { status: 429, code: 'CODE_SEND_LIMITED', details: { retryAfter } }
    expect(await t.call(strict, sendMobileCode, number(mobile))).toMatchObject(refused)
    // Another account's session counts as a stranger.
    const other = await t.signIn(strict)
    expect(await other.call(sendMobileCode, number(mobile))).toMatchObject(refused)
    expect((await user.call(sendTwoFactorMobileCode)).status).toBe(200)
    user.cookies.delete('__Host-hufu')
    for (let sent = 1; sent < rest; sent++) {
      await t.passMinute(strict, `+86${mobile}`)
      expect((await user.call(sendMobileCode, number(mobile))).status).toBe(200)
    }
    await t.passMinute(strict, `+86${mobile}`)
    expect((await user.call(sendMobileCode, number(mobile))).code).toBe('CODE_SEND_LIMITED')
    expect(user.id).toBe(id)
  })

  test('a number without an account gives strangers as many', async () => {
    const strict = await t.codeSite({ limits: oneAddress })
    const mobile = fresh.mobile()
    await fill(strict, mobile, 3, '1 second')
    expect(await t.call(strict, sendMobileCode, number(mobile))).toMatchObject({ details: { retryAfter: 3_600 } })
  })

  test('codes that other accounts have mailed to an address leave the rest to its account', async () => {
    const strict = await t.codeSite({ limits: oneAddress })
    const [user, other] = [await member(t, strict, { mobile: undefined }), await t.signIn(strict)]
    const { email } = user
    for (let sent = 0; sent < 3; sent++) {
      expect((await other.call(sendEmailCode, { email, type: 'authorize' })).status).toBe(200)
      await t.passMinute(strict, email)
    }
    expect((await other.call(sendEmailCode, { email, type: 'authorize' })).code).toBe('CODE_SEND_LIMITED')
    expect((await user.call(sendTwoFactorEmailCode)).status).toBe(200)
  })
})

test('a send that every gateway refused counts neither towards the hour nor towards the day', async () => {
  const wrongSecrets = demoSms.gateways.map((gateway) => ({ ...gateway, secret: 'wrong' }))
  const strict = await t.codeSite({ limits: {}, sms: { gateways: wrongSecrets } })
  const mobile = fresh.mobile()
  for (let refused = 0; refused < 10; refused++)
    expect((await t.call(strict, sendMobileCode, number(mobile))).code).toBe('CODE_SEND_FAILED')
  const { config, version } = await readConfig(t.deps, strict.id)
  await saveConfig(t.deps, strict.id, { config: { ...config, sms: demoSms }, basedOn: version }, 'test')
  await t.deps.sites.refresh()
  expect((await t.call(strict, sendMobileCode, number(mobile))).status).toBe(200)
  expect(await messagesTo(mobile)).toHaveLength(1)
})

test('D024 D077 the answer is the same with and without an account; registration closed, a stranger gets no SMS', async () => {
  const closed = await t.codeSite({ registration: 'closed' })
  const known = fresh.mobile()
  await createUser(t.deps, closed.id, { mobile: known }, 'test')
  const unknown = fresh.mobile()
  const answers = [
    await t.call(closed, sendMobileCode, number(known)),
    await t.call(closed, sendMobileCode, number(unknown)),
  ]
  expect(answers.map(({ status, data }) => ({ status, data }))).toEqual(
    times(2, () => ({ status: 200, data: { retryAfter: 60 } })),
  )
  await t.deps.randomDelay.flush()
  expect(await messagesTo(known)).toHaveLength(1)
  expect(await messagesTo(unknown)).toEqual([])
})

test('D053 over the soft limit of an address a proof is asked; solved, the code is sent; used, it is worth nothing', async () => {
  const strict = await t.codeSite({ limits: { ...wideLimits, addressProof: 2 } })
  const address = '203.0.113.7'
  const browser = t.browser(strict, { address })
  for (let sent = 0; sent < 2; sent++)
    expect((await browser.call(sendMobileCode, number(fresh.mobile()))).status).toBe(200)
  const mobile = fresh.mobile()
  const asked = await browser.call(sendMobileCode, number(mobile))
  expect(asked).toMatchObject({ status: 403, code: 'PROOF_REQUIRED' })
  expect(await messagesTo(mobile)).toEqual([])
  const proof = await solvePow(asked.details)
  expect((await browser.call(sendMobileCode, { ...number(fresh.mobile()), proof })).code).toBe('PROOF_REQUIRED')
  expect((await browser.call(sendMobileCode, { ...number(mobile), proof })).status).toBe(200)
  expect(await messagesTo(mobile)).toHaveLength(1)
  await t.passMinute(strict, `+86${mobile}`)
  expect((await browser.call(sendMobileCode, { ...number(mobile), proof })).code).toBe('PROOF_REQUIRED')
  expect((await browser.call(sendMobileCode, { ...number(mobile), proof: 'rubbish' })).code).toBe('PROOF_REQUIRED')
})

test('a proof is worth nothing after five minutes by the clock of the store, whatever end is written into it', async () => {
  const strict = await t.codeSite({ limits: { ...wideLimits, addressProof: 1 } })
  const browser = t.browser(strict, { address: '203.0.113.10' })
  await browser.call(sendMobileCode, number(fresh.mobile()))
  const mobile = fresh.mobile()
  const { clock } = t.deps
  t.deps.clock = { now: () => clock.now() - 300_500 }
  const { details } = await browser.call(sendMobileCode, number(mobile))
  t.deps.clock = clock
  const old = await solvePow(details)
  expect((await browser.call(sendMobileCode, { ...number(mobile), proof: old })).code).toBe('PROOF_REQUIRED')
  details.challenge.parameters.data.until += 600_000
  const forged = await solvePow(details)
  expect((await browser.call(sendMobileCode, { ...number(mobile), proof: forged })).code).toBe('PROOF_REQUIRED')
})

test('D053 a code by e-mail too is sent with the solved proof', async () => {
  const strict = await t.codeSite({ limits: { ...wideLimits, addressProof: 1 } })
  const user = await t.signIn(strict, { address: '203.0.113.8' })
  const ask = { email: fresh.email(), type: 'authorize' as const }
  const asked = await user.call(sendEmailCode, ask)
  expect(asked).toMatchObject({ status: 403, code: 'PROOF_REQUIRED' })
  expect(await messagesTo(ask.email)).toEqual([])
  expect((await user.call(sendEmailCode, { ...ask, proof: await solvePow(asked.details) })).status).toBe(200)
  expect(await codeTo(ask.email)).toMatch(/^\d{6}$/)
})

test('D053 so is the code that confirms whose account an old number leads to', async () => {
  const strict = await t.codeSite({ limits: { ...wideLimits, addressProof: 1 } })
  const [mobile, email] = [fresh.mobile(), fresh.email()]
  await createUser(t.deps, strict.id, { mobile, email }, 'test')
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE site_id = $1", [strict.id])
  const browser = t.browser(strict, { address: '203.0.113.9' })
  await browser.call(sendMobileCode, number(mobile))
  const confirm = await browser.call(loginByMobile, { ...number(mobile), code: await codeTo(mobile) })
  const { ticket } = confirm.details
  const asked = await browser.call(sendConfirmCode, { ticket })
  expect(asked).toMatchObject({ status: 403, code: 'PROOF_REQUIRED' })
  expect((await browser.call(sendConfirmCode, { ticket, proof: await solvePow(asked.details) })).status).toBe(200)
  expect(await codeTo(email)).toMatch(/^\d{6}$/)
})

/** A browser without cookies, which solves every challenge. */
const stranger = (at: TestSite, mobile = fresh.mobile()) => {
  const browser = t.browser(at)
  return solving((proof) => browser.call(sendMobileCode, { ...number(mobile), proof }))
}

describe('D110 of every budget a part is kept for sessions and known browsers', () => {
  test.each([
    ['prefix', { prefixDay: 10 }],
    ['site', { siteDay: 10 }],
  ])('%s', async (_title, limits) => {
    const tight = await t.codeSite({ limits: { ...wideLimits, ...limits } })
    const known = await knownBrowser(tight)
    const signedIn = await t.signIn(tight)
    const flood = await Promise.all(times(20, () => stranger(tight)))
    const outcomes = flood.map(({ status, code }) => code ?? status)
    expect(outcomes.filter((outcome) => outcome === 200)).toHaveLength(5)
    expect(outcomes.filter((outcome) => outcome === 'CODE_SEND_LIMITED')).toHaveLength(15)
    expect(t.log.join('')).toContain('the budget for codes runs out')
    // Accounts for numbers that aren't theirs get a part of what is kept, and leave some.
    const move = (mobile = fresh.mobile()) =>
      solving((proof) => signedIn.call(sendMobileCode, { ...number(mobile), proof }))
    expect([(await move()).status, (await move()).code]).toEqual([200, 'CODE_SEND_LIMITED'])
    expect((await known.call(sendMobileCode, number(known.mobile))).status).toBe(200)
    await t.passMinute(tight, `+86${signedIn.mobile}`)
    expect((await signedIn.call(sendTwoFactorMobileCode)).status).toBe(200)
    await t.passMinute(tight, `+86${signedIn.mobile}`)
    expect((await signedIn.call(sendTwoFactorMobileCode)).code).toBe('CODE_SEND_LIMITED')
  })

  test('mail', async () => {
    const tight = await t.codeSite({ limits: { ...wideLimits, prefixDay: 10 } })
    const [asker, user] = [await t.signIn(tight), await member(t, tight, { mobile: undefined })]
    const mail = () => asker.call(sendEmailCode, { email: fresh.email(), type: 'authorize' })
    expect((await mail()).status).toBe(200)
    await t.deps.redis.set(`{code:${tight.id}:p:mail}`, 8, 'EX', 1_000)
    expect((await mail()).code).toBe('CODE_SEND_LIMITED')
    expect((await user.call(sendTwoFactorEmailCode)).status).toBe(200)
  })

  test('a number that signed in yesterday is asked for by a stranger like any other', async () => {
    const tight = await t.codeSite({ limits: { ...wideLimits, siteDay: 3 } })
    const known = fresh.mobile()
    await createUser(t.deps, tight.id, { mobile: known }, 'test')
    for (let sent = 0; sent < 2; sent++) expect((await stranger(tight)).status).toBe(200)
    const answers = [await stranger(tight, known), await stranger(tight)]
    const words = ({ status, code, message }: (typeof answers)[number]) => ({ status, code, message })
    expect(answers.map(words)).toEqual(times(2, () => words(answers[0] as (typeof answers)[number])))
    expect(answers[0]?.code).toBe('CODE_SEND_LIMITED')
  })
})

const levelOf = ({ details }: { details: { challenge?: { parameters: { data: { level: number } } } } | undefined }) =>
  details?.challenge?.parameters.data.level

describe('D112 work rises with the use of a budget, before anything is refused', () => {
  const book = (at: TestSite, prefix: string, count: number) =>
    t.deps.redis.set(`{code:${at.id}:p:${prefix}}`, count, 'EX', 1_000)

  test('none below half of what strangers get, then twice as much for each tenth, for strangers alone', async () => {
    const tight = await t.codeSite({ limits: { ...wideLimits, prefixDay: 100 } })
    const known = await knownBrowser(tight)
    const levels: (number | undefined)[] = []
    for (const used of [0, 34, 35, 41, 42, 49, 56, 63, 69]) {
      await book(tight, '86', used)
      const asked = await t.call(tight, sendMobileCode, number(fresh.mobile()))
      expect([200, 403]).toContain(asked.status)
      levels.push(levelOf(asked))
    }
    expect(levels).toEqual([undefined, undefined, 1, 1, 2, 3, 4, 5, 5])
    expect((await known.call(sendMobileCode, number(known.mobile))).status).toBe(200)
    await book(tight, '86', 70)
    expect((await t.call(tight, sendMobileCode, number(fresh.mobile()))).code).toBe('CODE_SEND_LIMITED')
  })

  test('a mailed code to a new address as well, and none to the own one', async () => {
    const tight = await t.codeSite({ limits: { ...wideLimits, prefixDay: 100 } })
    const user = await member(t, tight, { mobile: undefined })
    await book(tight, 'mail', 50)
    expect(levelOf(await user.call(sendEmailCode, { email: fresh.email(), type: 'authorize' }))).toBe(3)
    expect((await user.call(sendTwoFactorEmailCode)).status).toBe(200)
  })

  test('D113 work for one level less counts, as the level may rise meanwhile; less work than that doesn’t', async () => {
    const tight = await t.codeSite({ limits: { ...wideLimits, prefixDay: 100 } })
    const browser = t.browser(tight)
    const mobile = fresh.mobile()
    await book(tight, '86', 35)
    const proof = await solvePow((await browser.call(sendMobileCode, number(mobile))).details)
    await book(tight, '86', 49)
    expect(levelOf(await browser.call(sendMobileCode, { ...number(mobile), proof }))).toBe(3)
    await book(tight, '86', 42)
    expect((await browser.call(sendMobileCode, { ...number(mobile), proof })).status).toBe(200)
  })
})

test('what the budget of the site refuses is not booked on the budget of its dial prefix', async () => {
  const day = await t.codeSite({ limits: { ...wideLimits, siteDay: 10 } })
  const replies = await Promise.all(times(12, () => stranger(day)))
  expect(replies.filter(({ code }) => code === 'CODE_SEND_LIMITED')).toHaveLength(5)
  expect(await t.deps.redis.get(`{code:${day.id}:p:86}`)).toBe('7')
})

test.each([
  ['a prefix', { prefixDay: 3 }],
  ['a site', { siteDay: 3 }],
])('a send that must wait for its receiver uses up nothing of the budget of %s', async (_title, limits) => {
  const tight = await t.codeSite({ limits: { ...wideLimits, ...limits } })
  const ask = async (mobile: string) => (await stranger(tight, mobile)).status
  const [first, second, third] = [fresh.mobile(), fresh.mobile(), fresh.mobile()]
  expect(await ask(first)).toBe(200)
  expect(await Promise.all(times(3, () => ask(first)))).toEqual(times(3, () => 429))
  expect([await ask(second), await ask(third)]).toEqual([200, 429])
})

test.each([
  ['letters', 'abc12345678'],
  ['too short', '1381234'],
  ['too long', '1381234567890'],
  ['a landline of nowhere', '00000000000'],
])('a number that is none is refused: %s', async (_title, mobile) => {
  expect(await t.call(site, sendMobileCode, number(mobile))).toMatchObject({ status: 400 })
})

test.each(['+86 138-0013-%s', '0086138 0013%s', ' 138 0013 %s', '１３８0013%s'])(
  'one number in another spelling is the same receiver: %s',
  async (spelling) => {
    const last = fresh.mobile().slice(-4)
    await t.call(site, sendMobileCode, number(`1380013${last}`))
    expect((await t.call(site, sendMobileCode, number(spelling.replace('%s', last)))).code).toBe('CODE_SEND_LIMITED')
  },
)

test('the store holds no code in the clear', async () => {
  const mobile = fresh.mobile()
  await t.call(site, sendMobileCode, number(mobile))
  const code = await codeTo(mobile)
  const { rows } = await t.deps.pool.query('SELECT code::text AS row FROM code WHERE site_id = $1 AND receiver = $2', [
    site.id,
    `+86${mobile}`,
  ])
  expect(rows[0].row).not.toContain(code)
})

test('D301 a signed-in user who signs in again gets a code for that', async () => {
  const user = await t.signIn(site)
  await t.passMinute(site, `+86${user.mobile}`)
  expect((await user.call(sendMobileCode, { ...number(user.mobile), type: 'login' })).status).toBe(200)
  const code = await codeTo(user.mobile)
  const again = await user.call(loginByMobile, { ...number(user.mobile), code })
  expect(again.data).toMatchObject({ id: user.id, created: false })
})
