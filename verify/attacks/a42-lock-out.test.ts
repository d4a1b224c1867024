import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestSite, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, few, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { askCheckCode } from './checks.ts'

const wrong = few(1_000, 100)

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  // The product's own limits: a wide one would hide a lock-out.
  site = await t.codeSite({ limits: {} })
})
afterAll(() => t.close())

const guessCodes = (mobile: string, right: string) =>
  together(wrong, 100, () =>
    t.browser(site).call(loginByMobile, { ...number(mobile), code: wrongCode(right) }, freshAddress()),
  )

const guessPasswords = (account: string) =>
  together(wrong, 100, () =>
    t.browser(site).call(loginByPassword, { account, password: 'Wrong#2026x' }, freshAddress()),
  )

test('A42 a thousand wrong codes and passwords of others lock no user out', async () => {
  const user = await t.user(site)
  const known = t.browser(site)
  expect((await known.call(loginByPassword, { account: user.email, password: user.password })).status).toBe(200)
  const passwords = tally((await guessPasswords(user.email)).map(({ code }) => code))
  const own = await known.call(loginByPassword, { account: user.username, password: user.password })
  const phone = t.browser(site)
  const code = await askCode(phone, user.mobile)
  const codes = tally((await guessCodes(user.mobile, code)).map(({ code: answer }) => answer))
  const texted = await phone.call(loginByMobile, { ...number(user.mobile), code })
  console.log(`A42: wrong passwords ${JSON.stringify(passwords)}, wrong codes ${JSON.stringify(codes)}`)
  figure('wrong codes and wrong passwords of others, each', wrong, ['>=', few(1_000, 100)])
  figure(
    'ways by which the user signs in afterwards',
    [own, texted].filter(({ data }) => data?.id === user.id).length,
    ['=', 2],
  )
})

test('A42 a new browser of the user gets in by code while passwords are paused', async () => {
  const user = await t.user(site)
  await guessPasswords(user.username)
  const fresh = t.browser(site)
  expect((await fresh.call(loginByPassword, { account: user.email, password: user.password })).code).toBe(
    'LOGIN_PAUSED',
  )
  expect((await t.signIn(site, { mobile: user.mobile })).id).toBe(user.id)
})

test('A42 a code that an attacker asked for first and others burnt costs the user one more minute', async () => {
  const user = await t.user(site)
  const first = await askCode(t.browser(site), user.mobile)
  await t.passMinute(site, `+86${user.mobile}`)
  // The same live code is sent again, now asked for by the user's own browser; it still belongs to who asked first.
  const phone = t.browser(site)
  expect(await askCode(phone, user.mobile)).toBe(first)
  await guessCodes(user.mobile, first)
  await t.passMinute(site, `+86${user.mobile}`)
  const code = await askCode(phone, user.mobile)
  await guessCodes(user.mobile, code)
  const texted = await phone.call(loginByMobile, { ...number(user.mobile), code })
  expect(texted.data?.id).toBe(user.id)
})

test('A42 a user gets in with a code that an attacker asks for again meanwhile', async () => {
  const user = await t.user(site)
  const phone = t.browser(site)
  const code = await askCode(phone, user.mobile)
  await t.passMinute(site, `+86${user.mobile}`)
  await askCode(t.browser(site), user.mobile)
  await guessCodes(user.mobile, code)
  const texted = await phone.call(loginByMobile, { ...number(user.mobile), code })
  expect(texted.data?.id).toBe(user.id)
})

/** All that strangers and other accounts get of the user's number, until they are refused; each code is burnt. */
async function fillQuota(mobile: string, passing: string): Promise<number> {
  const other = await t.session(site, (await t.user(site, { password: undefined })).id)
  let sent = 0
  for (let asked = 0; asked < 20; asked++) {
    const asker = asked % 2 === 0 ? t.browser(site) : other
    const reply = await asker.call(sendMobileCode, number(mobile), freshAddress())
    if (reply.status === 200) {
      sent++
      await guessCodes(mobile, '000000')
    }
    await t.passMinute(site, `+86${mobile}`)
    const pass = 'UPDATE code_send SET at = at - $3::interval WHERE site_id = $1 AND receiver = $2'
    await t.deps.pool.query(pass, [site.id, `+86${mobile}`, passing])
  }
  return sent
}

test.each([
  ['hour', '1 second', 3],
  ['day', '61 minutes', 6],
])(
  'A42 others who fill every quota of the %s leave codes to the browser that the user is known by',
  async (time, passing, most) => {
    const user = await t.user(site)
    const known = t.browser(site)
    expect((await known.call(loginByPassword, { account: user.email, password: user.password })).status).toBe(200)
    await guessPasswords(user.email)
    const sent = await fillQuota(user.mobile, passing)
    // An unknown browser of the same user counts as a stranger: it must wait or use the password.
    expect((await t.browser(site).call(sendMobileCode, number(user.mobile))).code).toBe('CODE_SEND_LIMITED')
    const checked = await askCheckCode(t, site, known, user.mobile)
    known.cookies.delete('__Host-hufu')
    await t.passMinute(site, `+86${user.mobile}`)
    const code = await askCode(known, user.mobile)
    await guessCodes(user.mobile, code)
    const texted = await known.call(loginByMobile, { ...number(user.mobile), code })
    const password = await known.call(loginByPassword, { account: user.username, password: user.password })
    figure(`codes that others get of the ${time}`, sent, ['=', most])
    figure(
      `ways by which the user signs in with the ${time} filled`,
      [texted, password].filter(({ data }) => data?.id === user.id).length,
      ['=', 2],
    )
    expect(checked).toMatch(/^\d{6}$/)
  },
)
