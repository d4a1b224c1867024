import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  codeTo,
  fresh,
  messagesTo,
  sessionOf,
  type TestSite,
  times,
  wideLimits,
  wrongCode,
} from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import {
  askCode,
  few,
  freshAddress,
  type Harness,
  number,
  openHarness,
  password,
  type User,
} from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { check, decide, hasSession, showCode, type Waiting } from '../harness/scan.ts'
import { allKeys, deleteKeys } from './redis-writer.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const scanKey = ({ request }: Pick<Waiting, 'request'>) => `{scan:${site.id}:${request.id}}`
const user = async (): Promise<User> => t.session(site, (await t.user(site)).id)

test('A46 an approval that was written into Redis signs no browser in', async () => {
  const { cache } = t.deps
  let [tries, sessions] = [0, 0]
  for (let round = 0; round < few(10, 1); round++) {
    const victim = await user()
    const honest = await showCode(t, site)
    await decide(victim, honest.request, 0)
    expect((await decide(victim, honest.request, 1)).status).toBe(200)
    const record = await cache.hgetall(scanKey(honest))
    const own = { status: '1', scanner: victim.id, session: sessionOf(victim) }
    const forgeries: Record<string, string>[] = [
      own,
      { ...own, approval: '' },
      { ...own, approval: record.approval ?? '' },
      { ...own, approval: `9999999999999.${(record.approval ?? '').split('.')[1]}` },
      { ...own, approval: `9999999999999.${randomBytes(32).toString('base64')}` },
      { ...record, ...own },
    ]
    for (const forged of forgeries) {
      const thief = await showCode(t, site)
      await cache.hset(scanKey(thief), forged)
      await check(thief)
      sessions += hasSession(thief.browser) ? 1 : 0
      tries++
    }
    // The whole approved record under the thief's name, with what the thief can prove left in it.
    const thief = await showCode(t, site)
    const { proof = '', time = '', ip = '' } = await cache.hgetall(scanKey(thief))
    await cache.hset(scanKey(thief), { ...record, proof, time, ip })
    await check(thief)
    sessions += hasSession(thief.browser) ? 1 : 0
    // The thief's proof under the approved request.
    await cache.hset(scanKey(honest), { proof, time, ip })
    const cookie = thief.browser.cookies.get(thief.cookie) ?? ''
    thief.browser.cookies.set(honest.cookie, cookie)
    await check({ browser: thief.browser, request: { ...honest.request, time: Number(time), ip } })
    sessions += hasSession(thief.browser) ? 1 : 0
    tries += 2
    await cache.hset(scanKey(honest), record)
    expect((await check(honest)).data).toEqual({ status: 1 })
    // A request that was answered is not answered again, however often its record comes back.
    await t.deps.pool.query("UPDATE session SET created_at = created_at - interval '10 seconds' WHERE id = $1", [
      sessionOf(honest.browser),
    ])
    const again = t.browser(site)
    again.cookies.set(honest.cookie, honest.browser.cookies.get(honest.cookie) ?? '')
    await cache.hset(scanKey(honest), record)
    await check({ browser: again, request: honest.request })
    sessions += hasSession(again) ? 1 : 0
    tries++
  }
  figure(`sessions by approvals of ${tries} forged or replayed records`, sessions, ['=', 0])
})

test('A46 with every counter deleted before each call, no more codes are sent than the budgets allow', async () => {
  const own = await t.codeSite({ limits: { ...wideLimits, siteDay: 10, prefixDay: 100 } })
  const mobiles = times(few(40, 16), () => fresh.mobile())
  const answers = []
  for (const mobile of mobiles) {
    await deleteKeys(t, own.id)
    answers.push(await t.browser(own).call(sendMobileCode, number(mobile)))
  }
  console.log(`A46: ${JSON.stringify(tally(answers.map(({ code, status }) => code ?? status)))}`)
  const sent = (await Promise.all(mobiles.map((mobile) => messagesTo(mobile)))).flat().length
  expect(sent).toBeGreaterThan(0)
  // Three tenths are kept for users who are known.
  figure(`texts of a site's budget of 10 to ${mobiles.length} strangers, its counters deleted`, sent, ['<=', 7])
  const prefix = await t.codeSite({ limits: { ...wideLimits, prefixDay: 5 } })
  const more = times(few(20, 10), () => fresh.mobile())
  for (const mobile of more) {
    await deleteKeys(t, prefix.id)
    await t.browser(prefix).call(sendMobileCode, number(mobile))
  }
  const texted = (await Promise.all(more.map((mobile) => messagesTo(mobile)))).flat().length
  figure(`texts of a prefix's budget of 5 to ${more.length} numbers, its counters deleted`, texted, ['<=', 5])
})

test('A46 what one number gets, and how often its code is tried, is not decided by a counter in Redis', async () => {
  const own = await t.codeSite({ limits: { ...wideLimits, receiverHour: 5 } })
  const mobile = fresh.mobile()
  for (const _ of times(12, () => 0)) {
    await deleteKeys(t, own.id)
    await t.passMinute(own, `+86${mobile}`)
    await t.browser(own).call(sendMobileCode, number(mobile))
  }
  figure('codes to one number with an hour of five, all counters deleted', (await messagesTo(mobile)).length, ['<=', 5])
  const other = fresh.mobile()
  const browser = t.browser(own)
  const right = await askCode(browser, other)
  const codes = []
  for (const _ of times(12, () => 0)) {
    await deleteKeys(t, own.id)
    codes.push((await browser.call(loginByMobile, { ...number(other), code: wrongCode(right) }, freshAddress())).code)
  }
  figure('wrong codes compared, all counters deleted', codes.filter((code) => code === 'CODE_WRONG').length, ['<=', 5])
})

test('A46 wrong passwords are limited, although nothing in Redis counts them', async () => {
  const own = await t.codeSite({ limits: { ...wideLimits, passwordFailures: 1 } })
  const { username, mobile } = await t.user(own)
  const codes = []
  for (const _ of times(30, () => 0)) {
    await deleteKeys(t, own.id)
    const guess = { account: username, password: 'Falsch#2026x' }
    codes.push((await t.browser(own).call(loginByPassword, guess)).code)
  }
  const compared = codes.filter((code) => code === 'LOGIN_FAILED').length
  console.log(`A46: ${JSON.stringify(tally(codes))}`)
  expect(codes.at(-1)).toBe('LOGIN_PAUSED')
  figure('wrong passwords compared with a limit of one, all counters deleted', compared, ['<=', 20])
  // The owner can still sign in by code.
  const browser = t.browser(own)
  await browser.call(sendMobileCode, number(mobile))
  expect((await browser.call(loginByMobile, { ...number(mobile), code: await codeTo(mobile) })).status).toBe(200)
  expect(password).not.toBe('Falsch#2026x')
})

test('A46 messages of another shape on every channel stop no process', async () => {
  const victim = await user()
  const { cache } = t.deps
  const strange = ['', '{', 'null', '1', '[]', '{}', '{"site":{},"user":[]}', '\0'.repeat(10), 'x'.repeat(200_000)]
  for (const channel of times(64, (index) => `live:${index}`))
    for (const text of strange) await cache.publish(channel, text)
  const answers = await Promise.all(times(8, () => victim.call(userInfo)))
  const alive = await Promise.all(inject('apiUrls').map(async (url) => (await fetch(`${url}/healthz`)).status))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  figure('processes that answer after messages of any shape', alive.filter((status) => status === 200).length, ['=', 2])
})

test('A46 docs/security.md says of every kind of key what a writer gains', async () => {
  await t.browser(site).call(sendMobileCode, number(fresh.mobile()))
  await showCode(t, site)
  const words = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8')
  const listed = [...words.matchAll(/^\| `(\{[^`]+)` /gm)].map(([, name = '']) => name)
  const forms = listed.map((name) => {
    const parts = name.split(/<[a-z ]+>/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${parts.join('.+')}`)
  })
  expect(forms.length).toBeGreaterThan(8)
  const keys = (await allKeys(t)).filter((key) => !key.startsWith('{bench}'))
  expect(keys.length).toBeGreaterThan(0)
  const unknown = keys.filter((key) => !forms.some((form) => form.test(key)))
  figure(`kinds of keys that are not in the table, of ${keys.length} keys`, new Set(unknown).size, ['=', 0])
})
