import { changeMobile } from '@hufu/contract/account'
import { loginByMobile } from '@hufu/contract/login'
import { proveRecovery } from '@hufu/contract/recovery'
import { sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { solvePow, solving } from '../../../test/pow-solution.ts'
import { mailedCode, openTicket } from '../../../test/recovering.ts'
import {
  codeTo,
  fresh,
  startTestApp,
  type TestApp,
  type TestSite,
  times,
  wideLimits,
  wrongCode,
} from '../../../test/test-app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const number = (mobile: string) => ({ mobilePrefix: '86', mobile })
const bound = 5
const guarded = () => t.codeSite({ limits: { ...wideLimits, wrongCodesHour: bound } })
const keyOf = (site: TestSite) => `{wrong:${site.id}}`
const countOf = async (site: TestSite) => Number(await t.deps.redis.get(keyOf(site)))

/** A number with a live code, asked for by a browser that no account knows. */
async function waiting(site: TestSite, mobile = fresh.mobile()) {
  const browser = t.browser(site)
  await browser.call(sendMobileCode, number(mobile))
  const right = await codeTo(mobile)
  const submit = (code: string, proof?: string) => browser.call(loginByMobile, { ...number(mobile), code, proof })
  return { mobile, right, submit, guess: (proof?: string) => submit(wrongCode(right), proof) }
}

/** As many wrong codes of the hour as the site allows. */
async function guessed(site: TestSite): Promise<void> {
  for (let wrong = 0; wrong < bound; wrong++) expect((await (await waiting(site)).guess()).code).toBe('CODE_WRONG')
}

describe('D114 over the wrong codes of an hour that a site takes', () => {
  test('a browser that the account does not know does work for each try, right or wrong', async () => {
    const site = await guarded()
    await guessed(site)
    const { submit, guess, right } = await waiting(site)
    const asked = await guess()
    expect(asked).toMatchObject({ status: 403, code: 'PROOF_REQUIRED' })
    const proof = await solvePow(asked.details)
    expect((await guess(proof)).code).toBe('CODE_WRONG')
    expect((await guess(proof)).code).toBe('PROOF_REQUIRED')
    expect((await submit(right)).code).toBe('PROOF_REQUIRED')
    expect((await solving((done) => submit(right, done))).status).toBe(200)
  })

  test('numbers with and without an account are asked alike', async () => {
    const site = await guarded()
    const known = (await t.signIn(site)).mobile
    await guessed(site)
    const replies = await Promise.all(
      [known, fresh.mobile()].map((mobile) => t.call(site, loginByMobile, { ...number(mobile), code: '000000' })),
    )
    expect(replies.map(({ status, code }) => [status, code])).toEqual(times(2, () => [403, 'PROOF_REQUIRED']))
  })

  test('a browser that the account knows does none, nor does a session', async () => {
    const site = await guarded()
    const [known, user] = [await t.signIn(site), await t.signIn(site)]
    known.cookies.delete('__Host-hufu')
    await guessed(site)
    await t.passMinute(site, `+86${known.mobile}`)
    await known.call(sendMobileCode, number(known.mobile))
    const code = await codeTo(known.mobile)
    expect((await known.call(loginByMobile, { ...number(known.mobile), code: wrongCode(code) })).code).toBe(
      'CODE_WRONG',
    )
    expect((await known.call(loginByMobile, { ...number(known.mobile), code })).status).toBe(200)
    await t.passMinute(site, `+86${user.mobile}`)
    await user.call(sendTwoFactorMobileCode)
    expect((await user.call(verifyTwoFactor, { code: await codeTo(user.mobile) })).status).toBe(200)
    const change = { ...number(fresh.mobile()), code: '000000' }
    expect((await user.call(changeMobile, change)).code).toBe('CODE_WRONG')
  })

  test('a browser known to one account does it for the number of another', async () => {
    const site = await guarded()
    const [known, other] = [await t.signIn(site), await t.signIn(site)]
    known.cookies.delete('__Host-hufu')
    await guessed(site)
    expect((await known.call(loginByMobile, { ...number(other.mobile), code: '000000' })).code).toBe('PROOF_REQUIRED')
  })

  test('so does a browser that recovers an account which does not know it', async () => {
    const site = await guarded()
    const user = await member(t, site)
    const browser = t.browser(site)
    const ticket = await openTicket(browser, user.username)
    const code = await mailedCode(t, site, browser, ticket, user.email)
    await guessed(site)
    expect((await browser.call(proveRecovery, { ticket, code })).code).toBe('PROOF_REQUIRED')
    const proved = await solving((proof) => browser.call(proveRecovery, { ticket, code, proof }))
    expect(proved.status).toBe(200)
  })

  test('the work doubles as often as the count, and is logged once', async () => {
    const site = await guarded()
    await guessed(site)
    const told = () => t.log.filter((line) => line.includes('codes are guessed') && line.includes(site.id))
    expect(told()).toEqual([])
    const levels: number[] = []
    for (const times of [1, 2, 4, 8, 16, 64]) {
      await t.deps.redis.set(keyOf(site), bound * times, 'EX', 1_000)
      const { details } = await t.call(site, loginByMobile, { ...number(fresh.mobile()), code: '000000' })
      levels.push(details.challenge.parameters.data.level)
    }
    expect(levels).toEqual([1, 2, 3, 4, 5, 5])
    await expect.poll(() => told().length).toBe(1)
  })
})

test('D114 of many guesses at once no more are compared without work than the site takes', async () => {
  const site = await guarded()
  const all = await Promise.all(times(20, () => waiting(site)))
  const replies = await Promise.all(all.map(({ guess }) => guess()))
  const codes = replies.map(({ code }) => code)
  expect(codes.filter((code) => code === 'CODE_WRONG')).toHaveLength(bound)
  expect(codes.filter((code) => code === 'PROOF_REQUIRED')).toHaveLength(20 - bound)
  await expect.poll(() => countOf(site)).toBe(bound)
  expect(await t.deps.redis.ttl(keyOf(site))).toBeGreaterThan(3_500)
})

test('D114 right codes, spent ones and those that were never sent are no guesses', async () => {
  const site = await guarded()
  for (let user = 0; user < bound; user++) {
    const { submit, right } = await waiting(site)
    expect((await submit(right)).status).toBe(200)
    expect((await submit(right)).code).toBe('CODE_WRONG')
    expect((await t.call(site, loginByMobile, { ...number(fresh.mobile()), code: '000000' })).code).toBe('CODE_WRONG')
  }
  await expect.poll(() => countOf(site)).toBe(0)
})
