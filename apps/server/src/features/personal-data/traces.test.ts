import { randomInt, randomUUID } from 'node:crypto'
import { changeEmail, changePassword, changeUsername } from '@hufu/contract/account'
import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { listMerchantFeedback, replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { exportUsers, queryUsers, readUser, revealUser } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import { closeAccount, exportData } from '@hufu/contract/personal-data'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import { startRecovery } from '@hufu/contract/recovery'
import { createScanRequest } from '@hufu/contract/scan-login'
import { merchantHome, userStatistics } from '@hufu/contract/statistics'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { wechatTicket } from '@hufu/contract/wechat'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEmail, password, signInAgain } from '../../../test/account-user.ts'
import { eraseAccounts, isErased, passClosing } from '../../../test/closing.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { checked, newOperator, type Operator, second } from '../../../test/operator.ts'
import { provedTicket } from '../../../test/recovering.ts'
import { codeTo, fresh, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { type RedisTrace, tracesInDatabase, tracesInRedis } from '../../../test/traces.ts'
import { newWechat, openidOf, returnFromWechat, type WechatAccount } from '../../../test/wechat-phone.ts'
import type { UserId } from '../../platform/ids.ts'
import { upkeep } from '../../worker.ts'
import { userExportJob } from '../merchant-users/user-export.ts'
import { changeAvatar } from '../profile/profile.service.ts'
import { wechatAvatarJob } from '../wechat/wechat-avatar.ts'
import { dataExportJob } from './data-export.ts'
import { readSealed } from './sealed.service.ts'

const shop = {
  id: 'shop',
  name: '海风书店',
  secret: 'shop-secret-2026',
  sources: ['https://shop.example.com'],
  deletionUrl: 'https://shop.example.com/gone',
}

let t: TestApp
let site: TestSite
let wechat: WechatAccount
let operator: Operator
beforeAll(async () => {
  t = await startTestApp()
  wechat = await newWechat()
  site = await t.codeSite({ wechat: { ...wechat }, clients: [shop] })
  operator = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
})
afterAll(() => t.close())

const octet = () => randomInt(100, 250)

/** Values that must be found nowhere afterwards. */
interface Marks {
  mobile: string
  email: string
  username: string
  nickname: string
  wechatNickname: string
  openid: string
  address: string
  words: string
}

interface Lived extends TestBrowser {
  id: UserId
  marks: Marks
}

async function jobsOf(name: string): Promise<unknown[]> {
  const { rows } = await t.deps.pool.query("SELECT data FROM pgboss.job WHERE name = $1 AND data ->> 'siteId' = $2", [
    name,
    site.id,
  ])
  return rows.map(({ data }) => data)
}

async function bindWechat(user: TestBrowser): Promise<void> {
  const { data } = await user.call(wechatTicket)
  const away = await user.go(`/api/user/wechat/binding?source=%2Fuser&ticket=${data}`)
  await user.go((await returnFromWechat(away, 'lin')).href, { 'sec-fetch-site': 'cross-site' })
  for (const job of await jobsOf('wechat-avatar')) await wechatAvatarJob(t.deps).run(job)
}

async function setNames(user: TestBrowser, { email, username, nickname }: Marks): Promise<void> {
  await checked(t, user)
  expect((await user.call(changeNickname, { nickname })).status).toBe(200)
  expect((await user.call(changeEmail, await newEmail(user, email))).status).toBe(200)
  await second(t, user)
  expect((await user.call(changeUsername, { username })).status).toBe(200)
  expect((await user.call(changePassword, { password })).status).toBe(200)
}

/** To a client and back. */
async function visitShop(user: TestBrowser): Promise<void> {
  const id = (await user.call(createAuthorization, { source: 'https://shop.example.com/back' })).data ?? ''
  const back = new URL((await user.call(bindAuthorization, { id })).data ?? '')
  const ticket = back.searchParams.get('authorize') ?? ''
  const answer = await t.call(site, exchangeTicket, { client: shop.id, secret: shop.secret, ticket })
  expect(answer.status).toBe(200)
}

/** As if both identity proofs had just been given. */
const proved = ({ id }: { id: string }) =>
  t.deps.pool.query('UPDATE session SET two_factor_at = now(), second_at = now() WHERE user_id = $1', [id])

async function exportOf(by: TestBrowser & { id: string }): Promise<void> {
  await proved(by)
  const { data, code } = await by.call(exportUsers, {})
  if (!data) throw new Error(`the export was refused: ${code}`)
  await userExportJob(t.deps).run({ siteId: site.id, id: data.id })
}

/** Signs in where the number counts as unproved, fails with a password, and begins a scan and a recovery. */
async function makeDeliveryFailures({ mobile, email, username, address }: Marks): Promise<void> {
  const stranger = t.browser(site, { address })
  await stranger.call(createScanRequest)
  expect((await stranger.call(loginByPassword, { account: username, password: 'wrong#2026x' })).status).not.toBe(200)
  const { ticket } = await provedTicket(t, site, stranger, { username, email })
  expect((await stranger.call(startRecovery, { ticket })).status).toBe(200)
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE value = $1", [
    `+86${mobile}`,
  ])
  await t.passMinute(site, `+86${mobile}`)
  await stranger.call(sendMobileCode, { mobilePrefix: '86', mobile })
  const answer = await stranger.call(loginByMobile, { mobilePrefix: '86', mobile, code: await codeTo(mobile) })
  expect(answer.code).toBe('LOGIN_CONFIRM')
}

/** A user who leaves a trace wherever the product stores one. */
async function live(): Promise<Lived> {
  const marks: Marks = {
    mobile: fresh.mobile(),
    email: fresh.email(),
    username: fresh.username(),
    nickname: `知夏${randomInt(10 ** 6)}`,
    wechatNickname: '林小满',
    openid: await openidOf(wechat, 'lin'),
    address: `211.${octet()}.${octet()}.${octet()}`,
    words: `收到的杯子碎了 ${randomUUID()}`,
  }
  const user = await t.signIn(site, { mobile: marks.mobile, address: marks.address })
  const id = user.id as UserId
  await setNames(user, marks)
  await bindWechat(user)
  const picture = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#c81e1e' } })
    .png()
    .toBuffer()
  await changeAvatar(
    t.deps,
    { ...t.deps.sites.get(site.id), id: site.id } as Parameters<typeof changeAvatar>[1],
    id,
    picture,
  )
  const feedback = (await user.call(sendFeedback, { message: marks.words })).data?.id ?? ''
  expect((await operator.call(replyFeedback, { id: feedback, message: `您说：${marks.words}` })).status).toBe(200)
  await visitShop(user)
  await makeOperator(t.deps, site.id, id, ['READ', 'ADMIN'])
  await exportOf(user)
  await exportOf(operator)
  expect((await operator.call(revealUser, { id, field: 'mobile' })).data?.value).toBe(marks.mobile)
  const archive = (await user.call(exportData)).data?.id
  await dataExportJob(t.deps).run({ siteId: site.id, userId: id, id: archive })
  await makeDeliveryFailures(marks)
  return { ...user, id, marks }
}

/** The seven days of a closing; whatever else runs out by itself in that time does. */
async function pass({ id }: Lived): Promise<void> {
  await passClosing(t, id, '7 days 2 minutes')
  await t.deps.pool.query("UPDATE user_export SET expires_at = expires_at - interval '7 days' WHERE operator_id = $1", [
    operator.id,
  ])
}

/** Other tests have users in the same Redis, some of them with the same name in WeChat. */
async function keysWith(values: string[]): Promise<RedisTrace[]> {
  const user = /^\{(.+):.+\}:u2$/
  return (await tracesInRedis(t.deps, values)).filter(({ key }) => (user.exec(key)?.[1] ?? site.id) === site.id)
}

test('a user who is erased leaves no trace in any table, in Redis or in a log, but under seal', {
  timeout: 120_000,
}, async () => {
  const user = await live()
  const { marks, id } = user
  const values = Object.values(marks)
  const before = await tracesInDatabase(t.deps, values)
  for (const value of values) expect(before.join('\n'), 'it was there').toContain(value)
  for (const table of ['blob', 'code', 'pgboss.job_common', 'user_export_part', 'login_confirm', 'session'])
    expect(
      before.some((trace) => trace.startsWith(`${table}: `)),
      table,
    ).toBe(true)

  await proved(user)
  expect((await user.call(closeAccount)).status).toBe(200)
  await exportOf(operator)
  // A minute after the last change the first call that the cache answers in time caches the user again.
  await t.deps.cache.del(`{${site.id}:${id}}:u2`)
  async function cached() {
    expect((await user.call(userInfo)).status).toBe(200)
    return (await keysWith([marks.email])).map(({ key }) => key)
  }
  await expect.poll(cached, { timeout: 20_000 }).toEqual([`{${site.id}:${id}}:u2`])
  await pass(user)
  await eraseAccounts(t)
  expect(await isErased(t, site, id)).toBe(true)

  expect(await tracesInDatabase(t.deps, values)).toEqual([])
  const byId = (await tracesInDatabase(t.deps, [id])).map((trace) => trace.replace(/[_.\d]*: .*/, ''))
  expect([...new Set(byId)].sort()).toEqual(['event', 'operator_log', 'pgboss.job_common', 'sealed_sign_in'])

  const inRedis = await keysWith(values)
  expect(inRedis.length, 'counters of the address').toBeGreaterThan(0)
  for (const { key, ttl } of inRedis) {
    expect(key).toMatch(/^\{(limit|code|scan|pw):/)
    expect(ttl, key).toBeGreaterThan(0)
    expect(ttl, key).toBeLessThanOrEqual(86_400)
  }
  const byUser = await keysWith(values.filter((value) => value !== marks.address))
  expect(byUser).toEqual([])

  t.deps.log.flush()
  await new Promise((resolve) => setTimeout(resolve, 300))
  const lines = t.log.join('')
  expect(lines.length).toBeGreaterThan(1_000)
  for (const value of values) expect(lines).not.toContain(value)

  const sealed = await readSealed(t.deps, site.id, id, { operator: 'cli', reason: '公安机关调取' })
  const text = JSON.stringify(sealed)
  for (const value of [marks.mobile, marks.email, marks.username, marks.openid, marks.address])
    expect(text).toContain(value)
  expect(text).toContain('"authorize"')
  await t.deps.pool.query("UPDATE sealed_sign_in SET at = at - interval '183 days' WHERE user_id = $1", [id])
  await upkeep(t.deps.pool).run({})
  const { rows } = await t.deps.pool.query('SELECT FROM sealed_sign_in WHERE user_id = $1', [id])
  expect(rows).toHaveLength(0)
})

test('of an erased user nothing is shown, and their names are free', { timeout: 120_000 }, async () => {
  const user = await live()
  const { id, marks } = user
  await proved(user)
  await user.call(closeAccount)
  await pass(user)
  await eraseAccounts(t)
  expect((await user.call(userInfo)).status).toBe(401)
  expect((await operator.call(readUser, { id })).code).toBe('NOT_FOUND')
  expect((await operator.call(queryUsers, { top: 20, skip: 0, search: marks.mobile })).data?.data).toEqual([])
  const everybody = (await operator.call(queryUsers, { top: 100, skip: 0 })).data
  expect(JSON.stringify(everybody)).not.toContain(id)
  expect(JSON.stringify((await operator.call(listMerchantFeedback, {})).data)).not.toContain(marks.words)
  const entries = (await operator.call(queryOperatorLog, { top: 20, skip: 0, person: id })).data?.data ?? []
  expect(entries.length).toBeGreaterThan(0)
  for (const entry of entries) expect(JSON.stringify(entry)).not.toContain(marks.nickname)
  for (const figures of [merchantHome, userStatistics]) expect((await operator.call(figures)).status).toBe(200)
  const wrong = await t.browser(site).call(loginByPassword, { account: marks.username, password })
  expect(wrong.code).toBe('LOGIN_FAILED')
  const again = await t.signIn(site, { mobile: marks.mobile })
  expect(again.id).not.toBe(id)
  const info = (await again.call(userInfo)).data
  expect(info).toMatchObject({
    nickname: null,
    email: null,
    username: null,
    wechatOpenId: null,
    avatar: false,
    password: false,
  })
})

test('an address that others share stays in logs without a user', async () => {
  const address = `211.${octet()}.${octet()}.${octet()}`
  const one = await t.signIn(site, { address })
  const another = await t.signIn(site, { address })
  const logged = async () =>
    (await t.deps.pool.query('SELECT FROM security_log WHERE address = $1 AND user_id IS NULL', [address])).rows.length
  expect(await logged()).toBe(2)
  const close = async (user: typeof one) => {
    await proved(user)
    expect((await user.call(closeAccount)).status).toBe(200)
    await passClosing(t, user.id, '7 days 2 minutes')
    await eraseAccounts(t)
    expect(await isErased(t, site, user.id)).toBe(true)
  }
  await close(one)
  expect(await logged()).toBe(2)
  await close(another)
  expect(await logged()).toBe(0)
})

test('a user who waits to be erased is in no new file of an operator, and is again once they stay', async () => {
  const { mobile, ...user } = await t.signIn(site)
  const holds = async () => {
    await exportOf(operator)
    const { rows } = await t.deps.pool.query(
      'SELECT id FROM user_export WHERE operator_id = $1 ORDER BY created_at DESC',
      [operator.id],
    )
    const found = await tracesInDatabase(t.deps, [mobile])
    await t.deps.pool.query('DELETE FROM user_export_part WHERE export_id = $1', [rows[0].id])
    return found.includes(`user_export_part: ${mobile}`)
  }
  expect(await holds()).toBe(true)
  await proved(user)
  await user.call(closeAccount)
  expect(await holds()).toBe(false)
  await t.deps.pool.query('DELETE FROM deletion WHERE user_id = $1', [user.id])
  expect(await holds()).toBe(true)
})

test('signed-in browsers of an erased user are signed out, wherever they are', async () => {
  const user = await t.signIn(site)
  await proved(user)
  await user.call(closeAccount)
  await user.call(changePassword, { password })
  await user.call(changeUsername, { username: fresh.username() })
  const { username } = (await user.call(userInfo)).data ?? {}
  const second = await signInAgain(t, site, { username: username ?? '' })
  // From here on both are cached as they were.
  for (const browser of [user, second]) expect((await browser.call(userInfo)).status).toBe(200)
  await passClosing(t, user.id, '7 days 2 minutes')
  await eraseAccounts(t)
  for (const browser of [user, second]) expect((await browser.call(userInfo)).status).toBe(401)
})
