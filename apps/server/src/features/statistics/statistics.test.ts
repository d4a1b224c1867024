import { randomUUID } from 'node:crypto'
import { userInfo } from '@hufu/contract/profile'
import { type Statistics, userCurve, userStatistics } from '@hufu/contract/statistics'
import { figures, hoursOf, windows } from '@hufu/contract/statistics-rules'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { member } from '../../../test/account-user.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { fresh, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import { putUsage, type Used } from '../../../test/usage-rows.ts'
import { connectRedis } from '../../platform/redis/client.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { readStatistics } from './statistics.service.ts'
import { usageDaysJob } from './usage-days.ts'

const hour = 3_600_000
const day = 24 * hour

/** A fixed time, long ago: the tests' own calls lie outside of every window. */
let now = Date.parse('2025-03-14T10:20:30Z')
let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
  t.deps.clock = { now: () => now }
})
afterAll(() => t.close())

async function newOperator(site: TestSite): Promise<TestBrowser & { id: string }> {
  const user = await member(t, site)
  await makeOperator(t.deps, site.id, user.id, ['READ'])
  return user
}

async function statistics(operator: TestBrowser): Promise<Statistics> {
  // Figures that were summed before are not returned.
  now += 2_000
  const { data, code } = await operator.call(userStatistics)
  if (!data) throw new Error(`no statistics: ${code}`)
  return data
}

const rollUp = () => usageDaysJob(t.deps).run({})

const fifteen = ['daily', 'weekly', 'monthly'].flatMap((window) =>
  ['AuthorizedUsers', 'AccessedUsers', 'PageAccess', 'AuthorizeAccess', 'ApiAccess'].map((name) => `${window}${name}`),
)

test('S220 S221 S222 S223 S397 the statistics take nothing and have userCount and five figures for each window', async () => {
  const site = await t.codeSite()
  const operator = await newOperator(site)
  await member(t, site)
  const { data, status } = await operator.call(userStatistics, {})
  expect(status).toBe(200)
  const none = Object.fromEntries(fifteen.map((name) => [name, 0]))
  const steps = { codeSent: 0, codeVerified: 0, codeSignedIn: 0, scanShown: 0, scanScanned: 0, scanApproved: 0 }
  expect(data).toEqual({
    userCount: 2,
    ...none,
    before: none,
    newUsers: { daily: 2, weekly: 2, monthly: 2 },
    funnel: { daily: steps, weekly: steps, monthly: steps },
    sms: { sent: 0, budget: 100_000 },
    time: now,
  })
})

test('without READ none of it is shown', async () => {
  const site = await t.codeSite()
  const user = await member(t, site)
  const curve = { window: 'daily', figure: 'ApiAccess' } as const
  for (const [browser, code] of [
    [t.browser(site), 'NOT_LOGGED_IN'],
    [user, 'FORBIDDEN'],
  ] as const) {
    expect((await browser.call(userStatistics)).code).toBe(code)
    expect((await browser.call(userCurve, curve)).code).toBe(code)
  }
})

const moments = {
  'in the middle of a day': '2025-03-14T10:20:30Z',
  'in the last hour of a day of China': '2025-03-14T15:59:50Z',
  'in the first hour of a day of China': '2025-03-14T16:00:00Z',
  'in the last hour of a day of UTC': '2025-03-14T23:59:50Z',
}

test.each(Object.entries(moments))(
  'S441 S442 S443 D068 windows are the present hour and the 23, 167 or 719 before it, hours and days alike: %s',
  async (_name, moment) => {
    now = Date.parse(moment)
    const present = now - (now % hour)
    const site = await t.codeSite()
    const operator = await newOperator(site)
    const edges = [-1, 0, 23, 24, 47, 48, 167, 168, 335, 336, 719, 720, 1439, 1440]
    const everywhere = randomUUID()
    for (const [position, ago] of edges.entries())
      await putUsage(t, site, present - ago * hour, { pages: 2 ** position, authorized: [randomUUID(), everywhere] })
    const inside = (from: number, to: number) => edges.map((ago, position) => (ago >= from && ago < to ? position : -1))
    const expected = windows.flatMap((window) =>
      [0, hoursOf[window]].map((from) => {
        const places = inside(from, from + hoursOf[window]).filter((position) => position >= 0)
        return { pages: places.reduce((sum, position) => sum + 2 ** position, 0), users: places.length + 1 }
      }),
    )
    const told = ({ before, ...present }: Statistics) =>
      windows.flatMap((window) =>
        [present, before].map((figuresOf) => ({
          pages: figuresOf[`${window}PageAccess`],
          users: figuresOf[`${window}AuthorizedUsers`],
        })),
      )
    expect(told(await statistics(operator))).toEqual(expected)
    await rollUp()
    expect(told(await statistics(operator))).toEqual(expected)
  },
)

interface Event extends Required<Pick<Used, 'calls' | 'accessed' | 'codeSent'>> {
  time: number
}

function randomEvents(count: number, seed: number): Event[] {
  let state = seed
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return times(count, () => ({
    time: now + 3 * hour - random() * 68 * day,
    calls: Math.floor(random() * 9),
    codeSent: Math.floor(random() * 9),
    accessed: [`user ${Math.floor(random() * 40)}`],
  }))
}

function sumUp(events: Event[], from: number, to: number) {
  const inside = events.filter(({ time }) => time >= from && time < to)
  return {
    calls: inside.reduce((sum, { calls }) => sum + calls, 0),
    sent: inside.reduce((sum, { codeSent }) => sum + codeSent, 0),
    users: new Set(inside.flatMap(({ accessed }) => accessed)).size,
  }
}

test('windows and curves equal what was used, as far as it is summed up to days and where it is not', async () => {
  now = Date.parse('2025-06-20T03:00:00Z')
  const site = await t.codeSite()
  const operator = await newOperator(site)
  const events = randomEvents(500, 20_261_114)
  for (const { time, ...used } of events) await putUsage(t, site, time, used)
  async function compare() {
    const all = await statistics(operator)
    const end = now - (now % hour) + hour
    for (const window of windows) {
      const length = hoursOf[window] * hour
      const [present, before] = [sumUp(events, end - length, end), sumUp(events, end - 2 * length, end - length)]
      expect(all[`${window}ApiAccess`]).toBe(present.calls)
      expect(all[`${window}AccessedUsers`]).toBe(present.users)
      expect(all.before[`${window}ApiAccess`]).toBe(before.calls)
      expect(all.before[`${window}AccessedUsers`]).toBe(before.users)
      expect(all.funnel[window].codeSent).toBe(present.sent)
      for (const figure of ['ApiAccess', 'AccessedUsers'] as const) {
        const { data } = await operator.call(userCurve, { window, figure })
        const valueAt = (from: number, step: number) =>
          sumUp(events, from, from + step)[figure === 'ApiAccess' ? 'calls' : 'users']
        const step = window === 'daily' ? hour : day
        for (const { time, value, before: earlier } of data?.points ?? [])
          expect([value, earlier]).toEqual([valueAt(time, step), valueAt(time - length, step)])
      }
    }
  }
  await compare()
  now -= 20 * day
  await rollUp()
  now += 20 * day
  await compare()
  await rollUp()
  await compare()
  now += 2 * hour
  await compare()
})

test('a curve has 24 hours, or 7 or 30 days of China with today as the last', async () => {
  now = Date.parse('2025-03-14T15:59:59Z')
  const site = await t.codeSite()
  const operator = await newOperator(site)
  const curve = async (window: 'daily' | 'weekly' | 'monthly') =>
    (await operator.call(userCurve, { window, figure: 'PageAccess' })).data
  const hours = await curve('daily')
  expect(hours?.step).toBe('hour')
  expect(hours?.points.map(({ time }) => time)).toEqual(
    times(24, (position) => Date.parse('2025-03-13T16:00:00Z') + position * hour),
  )
  for (const [window, days] of [
    ['weekly', 7],
    ['monthly', 30],
  ] as const) {
    const { step, points = [] } = (await curve(window)) ?? {}
    expect(step).toBe('day')
    expect(points).toHaveLength(days)
    expect(points.at(-1)?.time).toBe(Date.parse('2025-03-13T16:00:00Z'))
    expect(points[0]?.time).toBe(Date.parse('2025-03-13T16:00:00Z') - (days - 1) * day)
  }
  now += 1_000
  expect((await curve('weekly'))?.points.at(-1)?.time).toBe(Date.parse('2025-03-14T16:00:00Z'))
  for (const figure of figures) expect((await operator.call(userCurve, { window: 'weekly', figure })).status).toBe(200)
  expect((await operator.call(userCurve, { window: 'yearly' as never, figure: 'ApiAccess' })).status).toBe(400)
})

test('users are exact up to 3,000, and above within 3 %', async () => {
  const site = await t.codeSite()
  const operator = await newOperator(site)
  const users = times(3_000, () => randomUUID())
  for (let part = 0; part < 10; part++) {
    const here = users.slice(part * 250, part * 250 + 750)
    await putUsage(t, site, now - part * 40 * hour, { accessed: here, authorized: users })
  }
  const exact = { dailyAuthorizedUsers: 3_000, monthlyAuthorizedUsers: 3_000, monthlyAccessedUsers: 3_000 }
  expect(await statistics(operator)).toMatchObject(exact)
  await rollUp()
  expect(await statistics(operator)).toMatchObject(exact)
  const crowd = times(30_000, () => randomUUID())
  for (let part = 0; part < 6; part++)
    await putUsage(t, site, now - part * hour, { authorized: crowd.slice(part * 5_000, part * 5_000 + 5_000) })
  const { dailyAuthorizedUsers } = await statistics(operator)
  expect(Math.abs(dailyAuthorizedUsers - 33_000) / 33_000).toBeLessThan(0.03)
})

test("another site's figures are never among them", async () => {
  const [one, two] = [await t.codeSite(), await t.codeSite()]
  const operator = await newOperator(one)
  const days = [0, 1, 5, 20, 40]
  for (const ago of days) await putUsage(t, two, now - ago * day, { calls: 7, accessed: [randomUUID()], codeSent: 1 })
  for (let round = 0; round < 2; round++) {
    const { before, funnel, ...present } = await statistics(operator)
    for (const name of fifteen as (keyof typeof before)[]) expect([present[name], before[name]]).toEqual([0, 0])
    expect(funnel.monthly.codeSent).toBe(0)
    await rollUp()
  }
  expect((await statistics(await newOperator(two))).monthlyApiAccess).toBe(28)
})

test('within two seconds the same figures are answered, then new ones; a failure is not cached', async () => {
  const site = await t.codeSite()
  const operator = await newOperator(site)
  const first = await statistics(operator)
  await putUsage(t, site, now, { calls: 5 })
  now += 1_900
  expect((await operator.call(userStatistics)).data).toEqual(first)
  now += 100
  expect((await operator.call(userStatistics)).data).toMatchObject({ dailyApiAccess: 5, time: now })
  now += 2_000
  await t.deps.pool.query('ALTER TABLE usage_day RENAME TO usage_day_away')
  expect((await operator.call(userStatistics)).status).toBe(500)
  await t.deps.pool.query('ALTER TABLE usage_day_away RENAME TO usage_day')
  expect((await operator.call(userStatistics)).status).toBe(200)
})

test('new users are those of the last 24 hours, 7 and 30 days', async () => {
  const site = await t.codeSite()
  const operator = await newOperator(site)
  const users = [operator, ...(await Promise.all(times(3, () => member(t, site))))]
  const listed = [day - hour, 7 * day - hour, 30 * day - hour, 30 * day + hour]
  for (const [position, { id }] of users.entries())
    await t.deps.pool.query('UPDATE users SET listed_at = $2 WHERE id = $1', [
      id,
      new Date(now - (listed[position] ?? 0)),
    ])
  expect(await statistics(operator)).toMatchObject({ userCount: 4, newUsers: { daily: 1, weekly: 2, monthly: 3 } })
})

test('texted codes of the day stand beside the budget that is in force; without Redis they are unknown', async () => {
  now = Date.now()
  const site = await t.codeSite({ limits: { siteDay: 40 } })
  const operator = await newOperator(site)
  for (let sent = 0; sent < 2; sent++)
    await t.call(site, sendMobileCode, { mobilePrefix: '86', mobile: fresh.mobile() })
  expect((await statistics(operator)).sms).toEqual({ sent: 2, budget: 40 })
  const away = connectRedis('redis://127.0.0.1:1', {}, () => {})
  const here = t.deps.sites.get(site.id) as Site
  expect((await readStatistics({ ...t.deps, redis: away }, here)).sms).toEqual({ sent: null, budget: 40 })
  away.disconnect()
})

test('D068 what is done shows within 5 s by itself', async () => {
  const real = await startTestApp()
  const site = await real.codeSite()
  const operator = await real.signIn(site)
  await makeOperator(real.deps, site.id, operator.id, ['READ'])
  const asked = await operator.call(userStatistics)
  expect(asked.data?.dailyAccessedUsers).toBeLessThan(2)
  const user = await real.signIn(site)
  await user.call(userInfo)
  const done = performance.now()
  const accessed = async () => (await operator.call(userStatistics)).data?.dailyAccessedUsers
  await expect.poll(accessed, { timeout: timeLimit(8_000), interval: 100 }).toBe(2)
  expect(performance.now() - done).toBeLessThan(timeLimit(5_000))
  await real.close()
})
