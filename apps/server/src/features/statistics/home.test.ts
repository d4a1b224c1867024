import { randomUUID } from 'node:crypto'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { changeNickname } from '@hufu/contract/profile'
import { merchantHome } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import { putUsage } from '../../../test/usage-rows.ts'
import { newWechat } from '../../../test/wechat-phone.ts'
import { connectRedis } from '../../platform/redis/client.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { saveConfig } from '../site/site.service.ts'
import { readHome } from './home.service.ts'
import { readAttention } from './home-attention.ts'
import { shareForAMoment } from './shared-statistics.ts'

let t: TestApp
/** Long ago: what the tests' own calls count is of another day. */
let now = Date.parse('2025-03-14T16:00:00Z')
beforeAll(async () => {
  t = await startTestApp()
  t.deps.clock = { now: () => now }
})
afterAll(() => t.close())

async function newOperator(site: TestSite) {
  const user = await member(t, site)
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE'])
  return user
}

/** An answer is cached for two seconds: each of these asks when the last one has expired. */
async function home(operator: TestBrowser) {
  now += 2_000
  return (await operator.call(merchantHome)).data
}

test('a new site has nothing that waits, and no user but its operator', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const saved = Date.now()
  expect(await home(operator)).toEqual({
    waiting: 0,
    waitingSince: null,
    oldest: [],
    userCount: 1,
    accessed: { today: 0, yesterday: 0 },
    newUsers: { today: expect.any(Number), yesterday: 0 },
    api: { today: 0, yesterday: 0 },
    ratings: { count: 0, average: null },
    attention: [],
    looseClients: [],
    wechat: false,
    config: { version: 1, time: expect.any(Number), by: null },
  })
  expect(Math.abs(((await home(operator))?.config.time ?? 0) - saved)).toBeLessThan(60_000)
})

test('conversations wait until they are answered, the oldest first; of another site none', async () => {
  const [site, other] = [await t.site(), await t.site()]
  const operator = await newOperator(site)
  await (await member(t, other)).call(sendFeedback, { message: '别的网站' })
  const user = await member(t, site)
  const { data: first } = await user.call(sendFeedback, { message: '无法收到验证码' })
  const since = (await home(operator))?.waitingSince ?? 0
  expect(Math.abs(since - Date.now())).toBeLessThan(60_000)
  await user.call(sendFeedback, { message: '头像不显示' })
  expect(await home(operator)).toMatchObject({ waiting: 2, waitingSince: since })
  await operator.call(replyFeedback, { id: first?.id ?? '', message: '已重发' })
  const left = await home(operator)
  expect(left?.waiting).toBe(1)
  expect(left?.waitingSince).toBeGreaterThanOrEqual(since)
})

test('conversations that wait are counted to a thousand', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  await t.deps.pool.query(
    `INSERT INTO feedback (site_id, id, user_id, status, last_seq, last_message_at, waiting_since)
     SELECT $1, gen_random_uuid(), $2, 1, 1, now(), now() - make_interval(mins => n) FROM generate_series(1, 1200) n`,
    [site.id, operator.id],
  )
  const told = await home(operator)
  expect(told?.waiting).toBe(1_000)
  expect(Math.abs((told?.waitingSince ?? 0) - (Date.now() - 1_200 * 60_000))).toBeLessThan(60_000)
})

test('who waits longest stands first: five at most, by name or masked number, with the last words', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const users = await Promise.all(times(6, () => member(t, site)))
  const ids: string[] = []
  for (const [position, user] of users.entries()) {
    const { data } = await user.call(sendFeedback, { message: `第 ${position} 条` })
    ids.push(data?.id ?? '')
    await t.deps.pool.query("UPDATE feedback SET waiting_since = now() - $2 * interval '1 hour' WHERE id = $1", [
      data?.id,
      10 - position,
    ])
  }
  await users[1]?.call(changeNickname, { nickname: '阿青' })
  await users[1]?.call(sendFeedback, { id: ids[1] ?? '', message: '长'.repeat(101) })
  const told = await home(operator)
  expect(told?.oldest.map(({ id }) => id)).toEqual(ids.slice(0, 5))
  const [first, second] = told?.oldest ?? []
  const mobile = users[0]?.mobile ?? ''
  expect(first).toMatchObject({ status: 0, preview: '第 0 条', name: `${mobile.slice(0, 3)}****${mobile.slice(-4)}` })
  expect(first?.since).toBe(told?.waitingSince)
  expect(second).toMatchObject({ name: '阿青', preview: `${'长'.repeat(100)}…` })
  await operator.call(replyFeedback, { id: ids[0] ?? '', message: '已处理' })
  expect((await home(operator))?.oldest.map(({ id }) => id)).toEqual(ids.slice(1))
})

test('a message of pictures alone is shown as such, and an erased user has no name', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const user = await member(t, site)
  const { data } = await user.call(sendFeedback, { message: '看图' })
  await t.deps.pool.query(
    `INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, pictures, at)
     VALUES ($1, $2, 2, 'user', $3, '', '[{"id":"1","width":1,"height":1}]', now())`,
    [site.id, data?.id, user.id],
  )
  await t.deps.pool.query('DELETE FROM users WHERE id = $1', [user.id])
  expect((await home(operator))?.oldest).toMatchObject([{ name: null, preview: '[图片]' }])
})

test('today begins at midnight in China', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const user = randomUUID()
  now = Date.parse('2025-03-14T16:00:00Z')
  await putUsage(t, site, now - 1, { calls: 8, accessed: [user, randomUUID()] })
  await putUsage(t, site, now, { calls: 4, accessed: [user] })
  await putUsage(t, site, now + 3_600_000, { calls: 2, accessed: [user, randomUUID()] })
  expect(await home(operator)).toMatchObject({ api: { today: 6 }, accessed: { today: 2 } })
  now = Date.parse('2025-03-14T15:59:57.999Z')
  expect(await home(operator)).toMatchObject({ api: { today: 8 }, accessed: { today: 2 } })
  now += 1
})

test('yesterday is counted up to the same hour, the whole of it', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const at = (text: string) => Date.parse(`${text}+08:00`)
  const user = randomUUID()
  await putUsage(t, site, at('2025-03-13T23:59:59'), { calls: 1_000, accessed: [randomUUID()] })
  await putUsage(t, site, at('2025-03-14T00:00:00'), { calls: 1, accessed: [user] })
  await putUsage(t, site, at('2025-03-14T10:59:59'), { calls: 20, accessed: [user, randomUUID()] })
  await putUsage(t, site, at('2025-03-14T11:00:00'), { calls: 300, accessed: [randomUUID()] })
  await putUsage(t, site, at('2025-03-15T10:01:00'), { calls: 4_000, accessed: [user] })
  const joined = ['2025-03-13T23:59:59', '2025-03-14T00:00:00', '2025-03-14T10:59:59', '2025-03-14T11:00:00']
  for (const time of [...joined, '2025-03-15T00:00:00']) {
    const { id } = await member(t, site)
    await t.deps.pool.query('UPDATE users SET listed_at = $2 WHERE id = $1', [id, new Date(at(time))])
  }
  await t.deps.pool.query("UPDATE users SET listed_at = '2025-01-01' WHERE id = $1", [operator.id])
  const before = now
  now = at('2025-03-15T10:00:00')
  expect(await home(operator)).toMatchObject({
    api: { today: 4_000, yesterday: 21 },
    accessed: { today: 1, yesterday: 2 },
    newUsers: { today: 1, yesterday: 2 },
  })
  now = at('2025-03-15T23:30:00')
  expect(await home(operator)).toMatchObject({ api: { yesterday: 321 }, newUsers: { yesterday: 3 } })
  now = before
})

test('ratings of the last 30 days, at most the newest thousand, and of this site alone', async () => {
  const [site, other] = [await t.site(), await t.site()]
  const operator = await newOperator(site)
  const rate = (where: TestSite, count: number, rating: number, days: number) =>
    t.deps.pool.query(
      `INSERT INTO feedback (site_id, id, user_id, status, last_seq, last_message_at, rating, rated_at)
       SELECT $1, gen_random_uuid(), $2, 4, 1, now(), $3, now() - make_interval(days => $4) FROM generate_series(1, $5)`,
      [where.id, operator.id, rating, days, count],
    )
  await rate(site, 2, 5, 1)
  await rate(site, 1, 4, 29)
  await rate(site, 5, 1, 31)
  await rate(other, 5, 1, 1)
  expect((await home(operator))?.ratings).toEqual({ count: 3, average: 4.7 })
  await rate(site, 1_000, 3, 0)
  expect((await home(operator))?.ratings).toEqual({ count: 1_000, average: 3 })
})

/** So many texts of the site, or to one of its dial prefixes. */
async function spend(site: TestSite, sent: number, prefix?: string) {
  await t.deps.redis.set(prefix ? `{code:${site.id}:p:${prefix}}` : `{code:${site.id}:s}`, sent)
}

test('within two seconds the same figures are answered, each site its own; a failure is not cached', async () => {
  const [site, other] = [await t.site(), await t.site()]
  const [operator, stranger] = [await newOperator(site), await newOperator(other)]
  const user = await member(t, site)
  const ask = async (by: TestBrowser) => (await by.call(merchantHome)).data?.waiting
  now += 2_000
  expect(await ask(operator)).toBe(0)
  await user.call(sendFeedback, { message: '无法收到验证码' })
  now += 1_999
  expect([await ask(operator), await ask(stranger)]).toEqual([0, 0])
  now += 1
  expect(await ask(operator)).toBe(1)
  now += 2_000
  await t.deps.pool.query('ALTER TABLE trouble RENAME TO trouble_away')
  expect((await operator.call(merchantHome)).status).toBe(500)
  await t.deps.pool.query('ALTER TABLE trouble_away RENAME TO trouble')
  expect(await ask(operator)).toBe(1)
})

test('many who ask at once cost one read, and that one connection at a time', async () => {
  const here = t.deps.sites.get((await t.site()).id) as Site
  let [reads, most] = [0, 0]
  const homeOf = shareForAMoment(t.deps, (site) => {
    reads += 1
    return readHome(t.deps, site)
  })
  const { pool } = t.deps
  const inUse = () => {
    most = Math.max(most, pool.totalCount - pool.idleCount)
  }
  pool.on('acquire', inUse)
  const told = await Promise.all(times(20, () => homeOf(here)))
  pool.off('acquire', inUse)
  expect([new Set(told).size, reads]).toEqual([1, 1])
  // One more where the process polls for changed sites in this moment.
  expect(most).toBeLessThanOrEqual(2)
})

test('texts are worth a look as soon as new numbers get none, and then come before all else', async () => {
  const site = await t.site({ limits: { siteDay: 50 } })
  const operator = await newOperator(site)
  t.deps.deliveryFailures.note(site.id, 'mailFailed')
  await t.deps.deliveryFailures.flush()
  const kinds = async () => (await home(operator))?.attention.map(({ kind }) => kind)
  await spend(site, 34)
  expect(await kinds()).toEqual(['mailFailed'])
  await spend(site, 35)
  expect(await kinds()).toEqual(['smsBudget', 'mailFailed'])
  await spend(site, 50)
  expect((await home(operator))?.attention[0]).toEqual({ kind: 'smsBudget', sent: 50, open: 35, budget: 50 })
  const away = connectRedis('redis://127.0.0.1:1', {}, () => {})
  const here = t.deps.sites.get(site.id) as Site
  const [first, ...more] = await readAttention({ ...t.deps, redis: away }, here)
  expect([first?.kind, more]).toEqual(['mailFailed', []])
  away.disconnect()
})

test('D116 the fullest dial prefix is worth a look from 80 % of what strangers get, and comes first where they get no more', async () => {
  const site = await t.site({ limits: { prefixDay: 20, siteDay: 50 }, regions: ['CN', 'HK'] })
  const operator = await newOperator(site)
  t.deps.deliveryFailures.note(site.id, 'codeRefused')
  await t.deps.deliveryFailures.flush()
  const refused = { kind: 'codeRefused', count: 1, time: expect.any(Number) }
  const attention = async () => (await home(operator))?.attention
  const near = (prefix: string, sent: number) => ({ kind: 'smsBudget', prefix, sent, open: 14, budget: 20 })
  const whole = { kind: 'smsBudget', sent: 36, open: 35, budget: 50 }
  await spend(site, 11, '86')
  expect(await attention()).toEqual([refused])
  await spend(site, 12, '86')
  expect(await attention()).toEqual([refused, near('86', 12)])
  await spend(site, 13, '852')
  await spend(site, 20, 'mail')
  expect(await attention()).toEqual([refused, near('852', 13)])
  await spend(site, 36)
  expect(await attention()).toEqual([whole, refused, near('852', 13)])
  await spend(site, 15, '852')
  expect(await attention()).toEqual([near('852', 15), whole, refused])
})

test('what WeChat refused is no matter any more when the config was saved after it', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const kinds = async () => (await home(operator))?.attention.map(({ kind }) => kind)
  for (const kind of ['wechat', 'smsFailed'] as const) t.deps.deliveryFailures.note(site.id, kind, 40_125)
  await t.deps.deliveryFailures.flush()
  expect(await kinds()).toEqual(['wechat', 'smsFailed'])
  await saveConfig(t.deps, site.id, { config: { name: '甲' }, basedOn: 1 }, operator.id)
  expect(await kinds()).toEqual(['smsFailed'])
  t.deps.deliveryFailures.note(site.id, 'wechat', 40_125)
  await t.deps.deliveryFailures.flush()
  expect(await kinds()).toEqual(['wechat', 'smsFailed'])
})

test('WeChat is worth a look for an hour, messages that failed for a day; of another site nothing', async () => {
  const [site, other] = [await t.site(), await t.site()]
  const operator = await newOperator(site)
  for (const code of [40_001, 40_164]) t.deps.deliveryFailures.note(site.id, 'wechat', code)
  for (const kind of ['smsFailed', 'smsFailed', 'wechatNoticeFailed'] as const)
    t.deps.deliveryFailures.note(site.id, kind)
  t.deps.deliveryFailures.note(other.id, 'mailFailed')
  await t.deps.deliveryFailures.flush()
  const time = expect.any(Number)
  const failed = [
    { kind: 'smsFailed', count: 2, time },
    { kind: 'wechatNoticeFailed', count: 1, time },
  ]
  const told = await home(operator)
  expect(told?.attention).toEqual([{ kind: 'wechat', errcode: 40_164, time }, ...failed])
  for (const one of told?.attention ?? [])
    expect(Math.abs(('time' in one ? one.time : 0) - Date.now())).toBeLessThan(60_000)
  const age = (interval: string) =>
    t.deps.pool.query(
      'UPDATE trouble SET hour = hour - $2::interval, last_at = last_at - $2::interval WHERE site_id = $1',
      [site.id, interval],
    )
  await age('1 hour')
  expect((await home(operator))?.attention).toEqual(failed)
  t.deps.deliveryFailures.note(site.id, 'smsFailed')
  await t.deps.deliveryFailures.flush()
  expect((await home(operator))?.attention[0]).toEqual({ kind: 'smsFailed', count: 3, time })
  await age('23 hours')
  expect((await home(operator))?.attention).toEqual([{ kind: 'smsFailed', count: 1, time }])
})

test('the last change of the config has a version, a time and its operator; WeChat is there once it is set up', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const save = (config: object, basedOn: number, by: string) =>
    saveConfig(t.deps, site.id, { config, basedOn }, by).then(() => t.deps.sites.refresh())
  await save({ name: '甲' }, 1, operator.id)
  expect(await home(operator)).toMatchObject({ wechat: false, config: { version: 2, by: operator.username } })
  await operator.call(changeNickname, { nickname: '阿青' })
  expect((await home(operator))?.config.by).toBe('阿青')
  await save({ wechat: await newWechat() }, 2, 'cli')
  expect(await home(operator)).toMatchObject({ wechat: true, config: { version: 3, by: null } })
  await save({}, 3, randomUUID())
  expect(await home(operator)).toMatchObject({ wechat: false, config: { version: 4, by: null } })
})

test('without READ nothing of it is shown', async () => {
  const site = await t.site()
  expect((await t.call(site, merchantHome)).code).toBe('NOT_LOGGED_IN')
  expect((await (await member(t, site)).call(merchantHome)).code).toBe('FORBIDDEN')
})
