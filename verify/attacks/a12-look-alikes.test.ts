import { changeEmail, changeMobile, changeUsername } from '@hufu/contract/account'
import type { Endpoint } from '@hufu/contract/endpoint'
import { feedbackPerson, listMerchantFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loginByMobile, loginByPassword, sendConfirmCode } from '@hufu/contract/login'
import { exportUsers, queryUsers, releaseMobile } from '@hufu/contract/merchant-users'
import { finishRecovery, openRecovery, sendRecoveryMobileCode } from '@hufu/contract/recovery'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { codeTo, fresh, messagesTo, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { askCode, type Harness, number, openHarness } from '../harness/harness.ts'
import { checkedSession } from './codes.ts'
import { allEndpoints, fieldsOf } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ regions: ['CN', 'US', 'GB', 'HK'] })
})
afterAll(() => t.close())

const wide = (text: string) =>
  [...text].map((c) => (/[!-~]/.test(c) ? String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0) : c)).join('')

/** What looks like the name to a user or to a careless comparison. */
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

const right = 'Qy#2026autumn'

test.each(['username', 'email'] as const)(
  'A12 a look-alike of a %s makes no second account and opens none',
  async (kind) => {
    const mark = fresh.username().slice(1, 7)
    const base = kind === 'username' ? `fiskao_${mark}` : `fiskao.${mark}@example.com`
    const id = await createUser(t.deps, site.id, { [kind]: base, password: right }, 'attack')
    let opened = 0
    for (const like of lookAlikes(base)) {
      const made = await createUser(t.deps, site.id, { [kind]: like, password: 'Other#2026x' }, 'attack').catch(
        () => undefined,
      )
      expect(made, `an account of ${like}`).toBeUndefined()
      const answer = await t.browser(site).call(loginByPassword, { account: like, password: right })
      if (kept(like) === base) expect(answer.data?.id, like).toBe(id)
      else expect(answer.code, like).toBe('LOGIN_FAILED')
      if (answer.status === 200) opened++
    }
    const rows = (await names(kind)).filter(({ value }) => value.includes(mark))
    console.log(`A12: ${lookAlikes(base).length} look-alikes of one ${kind}, ${opened} are its own spellings`)
    expect(rows).toEqual([{ value: base, user_id: id }])
    figure(`accounts of ${lookAlikes(base).length} look-alikes of one ${kind}`, rows.length, ['=', 1])
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
  expect(rows).toEqual([{ value: `+86${mobile}`, user_id: first.id }])
  figure(`accounts of ${spellings.length + mixed.length} spellings of one number`, rows.length, ['=', 1])
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
  const user = await t.user(site, {})
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
  const browser = t.browser(site)
  const asked = await browser.call(loginByMobile, {
    ...number(user.mobile),
    code: await askCode(browser, user.mobile),
  })
  expect((await browser.call(sendConfirmCode, { ticket: asked.details.ticket })).status).toBe(200)
  expect((await messagesTo(user.email)).map(({ to }) => to)).toEqual([user.email])

  const own = await t.session(site, user.id)
  const base = `fika${fresh.username().slice(1, 9)}@example.com`
  const tried: string[] = []
  for (const like of lookAlikes(base)) {
    await t.passMinute(site, kept(like))
    const { status } = await own.call(sendEmailCode, { email: like, type: 'authorize' })
    if (status === 200) tried.push(like)
    if (kept(like) !== base) expect(status, like).toBe(400)
    if (like !== base) expect(await messagesTo(like), like).toEqual([])
  }
  const kepts = (await messagesTo(base)).length
  figure(`of ${tried.length} codes to spellings of one address went to the kept one`, kepts, ['=', tried.length])
})

const spellingsOf = (mobile: string) => [mobile, `+86${mobile}`, `0086${mobile}`, ` ${mobile} `, wide(mobile)]

/** The login names of a user, and everything that looks like them. */
async function named() {
  const mark = fresh.username().slice(1, 7)
  const own = { username: `fiskao_${mark}`, email: `fiskao.${mark}@example.com`, mobile: fresh.mobile() }
  const id = await createUser(t.deps, site.id, { ...own, password: right }, 'attack')
  return { ...own, id }
}

test('A12 no user can change a name to a look-alike of another user’s', async () => {
  const victim = await named()
  const other = await checkedSession(t, site)
  const taken: string[] = []
  let tried = 0
  const attempt = async (what: string, call: () => Promise<{ status: number }>) => {
    tried++
    if ((await call()).status === 200) taken.push(what)
  }
  for (const username of [victim.username, ...lookAlikes(victim.username)])
    await attempt(username, () => other.call(changeUsername, { username }))
  for (const email of [victim.email, ...lookAlikes(victim.email)]) {
    await t.passMinute(site, victim.email)
    const sent = await other.call(sendEmailCode, { email, type: 'authorize' })
    // Even who could read the victim's mail wouldn't get the address.
    const code = sent.status === 200 ? await codeTo(victim.email) : '000000'
    await attempt(email, () => other.call(changeEmail, { email, code }))
  }
  for (const mobile of spellingsOf(victim.mobile)) {
    await t.passMinute(site, `+86${victim.mobile}`)
    const sent = await other.call(sendMobileCode, number(mobile))
    const code = sent.status === 200 ? await codeTo(victim.mobile) : '000000'
    await attempt(mobile, () => other.call(changeMobile, { ...number(mobile), code }))
  }
  expect(taken).toEqual([])
  figure(`of ${tried} changes to a look-alike of another user's name were made`, taken.length, ['=', 0])
})

test('A12 recovery and the operators’ search find the account itself or none', async () => {
  const victim = await named()
  const near = await named()
  const operator = await callerOf(t, 'merchantAdmin', site)
  await (await t.session(site, victim.id)).call(sendFeedback, { message: '你好' })
  const wrong: string[] = []
  const meet = (what: string, met: string | undefined) => {
    if (met !== undefined && met !== victim.id) wrong.push(what)
  }
  const typed = [...lookAlikes(victim.username), ...lookAlikes(victim.email), ...spellingsOf(victim.mobile)]
  for (const text of typed) {
    for (const { id } of (await operator.call(queryUsers, { search: text })).data?.data ?? []) meet(text, id)
    for (const { id } of (await operator.call(listMerchantFeedback, { search: text })).data?.data ?? [])
      meet(text, (await operator.call(feedbackPerson, { id })).data?.id)
    const browser = t.browser(site)
    const { data } = await browser.call(openRecovery, { account: text, password: right })
    const owner = 'SELECT user_id FROM recovery_ticket WHERE site_id = $1 AND ticket_hash = $2'
    if (data) meet(text, (await t.deps.pool.query(owner, [site.id, sha256(data.ticket)])).rows[0]?.user_id)
  }
  expect(near.id).not.toBe(victim.id)
  figure(`of ${typed.length} look-alikes led to another user`, wrong.length, ['=', 0])
})

test('A12 every call of the contract that names a user is covered', () => {
  const naming = allEndpoints.filter((endpoint) =>
    fieldsOf(endpoint).some((field) => /^(username|email|mobile|account|search)$/.test(field)),
  )
  const tried: Endpoint[] = [
    sendMobileCode,
    sendEmailCode,
    loginByMobile,
    loginByPassword,
    openRecovery,
    changeUsername,
    changeEmail,
    changeMobile,
    queryUsers,
    listMerchantFeedback,
  ]
  // The same number as above, by the same rule; the same search; and a number that is compared with the stored one.
  const alike: Endpoint[] = [sendRecoveryMobileCode, finishRecovery, exportUsers, releaseMobile]
  expect(naming.map(({ path }) => path).sort()).toEqual([...tried, ...alike].map(({ path }) => path).sort())
})
