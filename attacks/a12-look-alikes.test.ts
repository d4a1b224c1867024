import { loginByMobile, loginByPassword, sendConfirmCode } from '@hufu/contract/login'
import { sendEmailCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../apps/server/src/features/users/users.service.ts'
import { codeTo, fresh, messagesTo, type TestSite } from '../apps/server/test/test-app.ts'
import { askCode, type Harness, number, openHarness } from './harness.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ regions: ['CN', 'US', 'GB', 'HK'] })
})
afterAll(() => t.close())

const wide = (text: string) =>
  [...text].map((c) => (/[!-~]/.test(c) ? String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0) : c)).join('')

/** What looks like the name to a person or to a careless comparison. */
const lookAlikes = (name: string): string[] => [
  name.replaceAll('i', 'ı'),
  name.replaceAll('i', 'İ'),
  name.replaceAll('i', 'і'),
  name.replaceAll('k', 'K'),
  name.replaceAll('s', 'ſ'),
  name.replaceAll('a', 'а'),
  name.replaceAll('o', 'ο'),
  name.replace('fi', 'ﬁ'),
  wide(name),
  `${name}\u200b`,
  `\ufeff${name}`,
  `${name}\u0301`,
  `\u202e${name}`,
  name.toUpperCase(),
  ` ${name} `,
]

/** The one spelling under which a name is kept. */
const kept = (name: string) => name.normalize('NFKC').trim().toLowerCase()

const names = async (kind: string) =>
  (await t.deps.pool.query('SELECT value, user_id FROM identity WHERE site_id = $1 AND kind = $2', [site.id, kind]))
    .rows

test.each(['username', 'email'] as const)(
  'A12 a look-alike of a %s makes no second account and opens none',
  async (kind) => {
    const mark = fresh.username().slice(1, 7)
    const base = kind === 'username' ? `fiskao_${mark}` : `fiskao.${mark}@example.com`
    const id = await createUser(t.deps, site.id, { [kind]: base, password: 'Qy#2026autumn' }, 'attack')
    let opened = 0
    for (const like of lookAlikes(base)) {
      const made = await createUser(t.deps, site.id, { [kind]: like, password: 'Other#2026x' }, 'attack').catch(
        () => undefined,
      )
      expect(made, `an account of ${like}`).toBeUndefined()
      const answer = await t.browser(site).call(loginByPassword, { account: like, password: 'Qy#2026autumn' })
      if (kept(like) === base) expect(answer.data?.id, like).toBe(id)
      else expect(answer.code, like).toBe('LOGIN_FAILED')
      if (answer.status === 200) opened++
    }
    const rows = (await names(kind)).filter(({ value }) => value.includes(mark))
    console.log(
      `A12: ${lookAlikes(base).length} look-alikes of one ${kind}: ${rows.length} account, ${opened} are its own spellings`,
    )
    expect(rows).toEqual([{ value: base, user_id: id }])
  },
)

test('A12 a number in any spelling is one account, and its neighbours are others', async () => {
  const mobile = fresh.mobile()
  const first = await t.signIn(site, { mobile })
  const spellings = [
    `+86${mobile}`,
    `+86 ${mobile}`,
    `0086${mobile}`,
    `0086-${mobile}`,
    wide(mobile),
    ` ${mobile} `,
    `(${mobile})`,
  ]
  for (const spelling of spellings) {
    await t.passMinute(site, `+86${mobile}`)
    const browser = t.browser(site)
    const sent = await browser.post('/api/verifyCode/mobile', JSON.stringify(number(spelling)))
    // Full-width digits alone may be refused; taken for another number they may not.
    if (spelling === wide(mobile) && sent.status === 400) continue
    expect(sent.status, spelling).toBe(200)
    const login = { ...number(spelling), code: await codeTo(mobile) }
    expect((await browser.call(loginByMobile, login)).data?.id, spelling).toBe(first.id)
  }
  // The same digits under other prefixes, and a prefix that swallows digits of the number.
  const mixed: { mobilePrefix: string; mobile: string }[] = [
    { mobilePrefix: '8613', mobile: mobile.slice(2) },
    { mobilePrefix: '1', mobile: `+86${mobile}` },
    { mobilePrefix: '861', mobile: mobile.slice(1) },
    { mobilePrefix: '44', mobile: `0086${mobile}` },
  ]
  for (const ask of mixed) {
    await t.passMinute(site, `+86${mobile}`)
    expect(
      (await t.browser(site).post('/api/verifyCode/mobile', JSON.stringify(ask))).status,
      JSON.stringify(ask),
    ).toBe(400)
  }
  const rows = (await names('mobile')).filter(({ value }) => value.includes(mobile))
  console.log(`A12: ${spellings.length + mixed.length} spellings of one number: ${rows.length} account`)
  expect(rows).toEqual([{ value: `+86${mobile}`, user_id: first.id }])
})

test('A12 an American number that reads like a mainland one gets its own code and its own account', async () => {
  const last = fresh.mobile().slice(-4)
  const american = { mobilePrefix: '1', mobile: `313555${last}` }
  const mainland = `1313555${last}`
  const browser = t.browser(site)
  const sent = await browser.post('/api/verifyCode/mobile', JSON.stringify(american))
  expect(sent.status).toBe(200)
  expect(await messagesTo(mainland)).toEqual([])
  const login = await browser.call(loginByMobile, { ...american, code: await codeTo(american.mobile) })
  const other = await t.signIn(site, { mobile: mainland })
  expect(login.data?.id).not.toBe(other.id)
})

test('A12 codes go to the stored address, whatever was typed', async () => {
  const person = await t.person(site, {})
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [person.id])
  const browser = t.browser(site)
  const asked = await browser.call(loginByMobile, {
    ...number(person.mobile),
    code: await askCode(browser, person.mobile),
  })
  expect((await browser.call(sendConfirmCode, { ticket: asked.details.ticket })).status).toBe(200)
  expect((await messagesTo(person.email)).map(({ to }) => to)).toEqual([person.email])

  const own = await t.session(site, person.id)
  const base = `fika${fresh.username().slice(1, 9)}@example.com`
  const tried: string[] = []
  for (const like of lookAlikes(base)) {
    await t.passMinute(site, kept(like))
    const { status } = await own.call(sendEmailCode, { email: like, type: 'authorize' })
    if (status === 200) tried.push(like)
    if (kept(like) !== base) expect(status, like).toBe(400)
    if (like !== base) expect(await messagesTo(like), like).toEqual([])
  }
  console.log(
    `A12: ${tried.length} spellings of one address accepted, all mailed to ${(await messagesTo(base)).length && 'the kept one'}`,
  )
  expect(await messagesTo(base)).toHaveLength(tried.length)
})
