import { randomUUID } from 'node:crypto'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { changeNickname } from '@hufu/contract/profile'
import { merchantHome } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-person.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { putUsage } from '../../../test/usage-rows.ts'
import { newWechat } from '../../../test/wechat-phone.ts'
import { saveConfig } from '../site/site.service.ts'
import { grant } from '../users/users.service.ts'

let t: TestApp
/** Long ago: what the tests' own calls count is of another day. */
let now = Date.parse('2025-03-14T16:00:00Z')
beforeAll(async () => {
  t = await startTestApp()
  t.deps.clock = { now: () => now }
})
afterAll(() => t.close())

async function newOperator(site: TestSite) {
  const person = await member(t, site)
  await grant(t.deps, site.id, person.id as never, 'MERCHANT', ['READ', 'WRITE'], 'test')
  return person
}

const home = async (operator: TestBrowser) => (await operator.call(merchantHome)).data

test('a new site has nothing that waits, and nobody but its operator', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const saved = Date.now()
  expect(await home(operator)).toEqual({
    waiting: 0,
    waitingSince: null,
    userCount: 1,
    accessedToday: 0,
    apiToday: 0,
    wechat: false,
    config: { version: 1, time: expect.any(Number), by: null },
  })
  expect(Math.abs(((await home(operator))?.config.time ?? 0) - saved)).toBeLessThan(60_000)
})

test('conversations wait until they are answered, the oldest first; of another site none', async () => {
  const [site, other] = [await t.site(), await t.site()]
  const operator = await newOperator(site)
  await (await member(t, other)).call(sendFeedback, { message: '别的网站' })
  const person = await member(t, site)
  const { data: first } = await person.call(sendFeedback, { message: '无法收到验证码' })
  const since = (await home(operator))?.waitingSince ?? 0
  expect(Math.abs(since - Date.now())).toBeLessThan(60_000)
  await person.call(sendFeedback, { message: '头像不显示' })
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

test('today begins at midnight in China', async () => {
  const site = await t.site()
  const operator = await newOperator(site)
  const person = randomUUID()
  await putUsage(t, site, now - 1, { calls: 8, accessed: [person, randomUUID()] })
  await putUsage(t, site, now, { calls: 4, accessed: [person] })
  await putUsage(t, site, now + 3_600_000, { calls: 2, accessed: [person, randomUUID()] })
  expect(await home(operator)).toMatchObject({ apiToday: 6, accessedToday: 2 })
  now -= 1
  expect(await home(operator)).toMatchObject({ apiToday: 8, accessedToday: 2 })
  now += 1
})

test('the last change of the config has a version, a time and whoever saved it; WeChat is there once it is set up', async () => {
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

test('whoever has no READ sees nothing of it', async () => {
  const site = await t.site()
  expect((await t.call(site, merchantHome)).code).toBe('NOT_LOGGED_IN')
  expect((await (await member(t, site)).call(merchantHome)).code).toBe('FORBIDDEN')
})
