import { randomUUID } from 'node:crypto'
import { shortId } from '@hufu/contract/merchant-rights'
import { queryUsers, type UserRow } from '@hufu/contract/merchant-users'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../../test/enrolled.ts'
import { fresh, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { countSince, countUsers } from '../users/user-counts.ts'
import { deleteUser } from '../users/user-list-index.store.ts'
import { closedCount, createUserListIndexes } from '../users/user-list-index.ts'
import { createUser, type UserToCreate } from '../users/users.service.ts'
import { closeBuckets, userListIndexJob } from './user-list-index-job.ts'

let t: TestApp
let site: TestSite
let operator: TestBrowser & { id: string; mobile: string }
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  operator = await newOperator(site)
})
afterAll(() => t.close())

async function newOperator(at: TestSite) {
  const user = await t.signIn(at)
  await makeOperator(t.deps, at.id, user.id, ['READ'])
  return user
}

const newUser = (given: UserToCreate, at = site) => createUser(t.deps, at.id, given, 'test')

const found = async (search: string, by: TestBrowser = operator) =>
  (await by.call(queryUsers, { search, top: 100 })).data?.data.map(({ id }) => id)

/** Users registered one after the other, the last one an hour ago, some of them in the same moment. */
async function crowd(at: { id: SiteId }, count: number, from = 0): Promise<void> {
  await t.deps.pool.query(
    `INSERT INTO users (site_id, id, listed_at, mobile_prefix, mobile)
     SELECT $1, gen_random_uuid(), now() - interval '1 hour' - make_interval(secs => $2 - n / 3), '86', (13000000000 + n)::text
     FROM generate_series($3::int, $3::int + $2::int - 1) n`,
    [at.id, count, from],
  )
}

/** All users in the order of the list, from the database. */
async function inOrder(at: { id: SiteId }): Promise<string[]> {
  const { rows } = await t.deps.pool.query<{ id: string }>(
    'SELECT id FROM users WHERE site_id = $1 ORDER BY listed_at DESC, id DESC',
    [at.id],
  )
  return rows.map(({ id }) => id)
}

const idsOf = (rows: UserRow[] | undefined) => rows?.map(({ id }) => id)

test('S224 S398 D013 the list takes top and skip, answers count and rows with ids, newest first, ten where top is left out', async () => {
  const at = await t.codeSite()
  const reader = await newOperator(at)
  await crowd(at, 25)
  const all = await inOrder(at)
  expect(all[0]).toBe(reader.id)
  const first = (await reader.call(queryUsers, {})).data
  expect(first).toMatchObject({ count: 26, more: false })
  expect(idsOf(first?.data)).toEqual(all.slice(0, 10))
  expect(idsOf((await reader.call(queryUsers, { top: 7, skip: 20 })).data?.data)).toEqual(all.slice(20))
  expect((await reader.call(queryUsers, { top: 5, skip: 1_000_000_000 })).data).toEqual({
    count: 26,
    more: false,
    data: [],
  })
  for (const paging of [{ top: 0 }, { top: 101 }, { skip: -1 }, { top: 1.5 }])
    expect((await reader.call(queryUsers, paging)).code).toBe('INPUT_INVALID')
})

test('D012 numbers and addresses are masked, unless the site shows them whole', async () => {
  const given = { mobile: fresh.mobile(), email: `zhang.wei.${randomUUID().slice(0, 8)}@example.com`, nickname: '张伟' }
  const id = await newUser(given)
  const row = (await operator.call(queryUsers, { search: id })).data?.data[0]
  expect(row).toEqual({
    id,
    status: 'active',
    mobilePrefix: '86',
    mobile: `${given.mobile.slice(0, 3)}****${given.mobile.slice(-4)}`,
    email: 'zh****@example.com',
    nickname: '张伟',
    username: null,
    lastAccess: null,
    since: expect.any(Number),
    operator: false,
    protected: false,
  })
  const short = await newUser({ email: `ab@${randomUUID()}.example` })
  expect((await operator.call(queryUsers, { search: short })).data?.data[0]?.email).toMatch(/^a\*{4}@/)
  const open = await t.codeSite({ privacy: { maskLists: false } })
  const reader = await newOperator(open)
  expect((await reader.call(queryUsers, {})).data?.data[0]).toMatchObject({
    mobile: reader.mobile,
    operator: true,
    lastAccess: expect.any(Number),
  })
})

test.each([
  ['354', '6112345', '****45'],
  ['852', '51234567', '51****67'],
])('D012 a number is never shown whole, however short: +%s %s', async (mobilePrefix, mobile, shown) => {
  const id = await newUser({ mobilePrefix, mobile })
  expect((await operator.call(queryUsers, { search: id })).data?.data).toMatchObject([{ mobilePrefix, mobile: shown }])
})

test('a nickname from WeChat shows and is found where there is no own one', async () => {
  const id = await newUser({ username: fresh.username() })
  await t.deps.pool.query("UPDATE users SET wechat_nickname = '微信来客' WHERE id = $1", [id])
  expect((await operator.call(queryUsers, { search: '微信来' })).data?.data).toMatchObject([
    { id, nickname: '微信来客' },
  ])
  await t.deps.pool.query("UPDATE users SET nickname = '自己起的' WHERE id = $1", [id])
  expect(await found('微信来')).toEqual([])
  expect(await found('自己')).toEqual([id])
})

test('D079 S431 a search finds by mobile, its last four, e-mail, username, id, short id and the beginning of a nickname', async () => {
  const mobile = '13880007391'
  const email = fresh.email()
  const username = fresh.username()
  const nickname = `赵${randomUUID().slice(0, 6)}云`
  const id = await newUser({ mobile, email, username, nickname })
  for (const text of [
    mobile,
    `+86 ${mobile}`,
    `${mobile.slice(0, 3)}-${mobile.slice(3, 7)}-${mobile.slice(7)}`,
    mobile.slice(-4),
    ` ${email.toUpperCase()} `,
    username.toUpperCase(),
    id,
    id.toUpperCase(),
    shortId(id),
    nickname,
    nickname.slice(0, 3),
  ])
    expect(await found(text), text).toEqual([id])
})

test('D079 a part of what must match whole finds no user', async () => {
  const given = { mobile: '13711112222', email: fresh.email(), username: fresh.username(), nickname: '司马相如' }
  const id = await newUser(given)
  for (const text of [
    '1371111222',
    '111122',
    '11122',
    given.email.slice(0, -1),
    given.email.slice(1),
    given.username.slice(0, -1),
    id.slice(0, 7),
    id.slice(0, 9),
    id.slice(0, -1),
    '马相如',
    '相',
  ])
    expect(await found(text), text).toEqual([])
})

test('signs that a pattern knows are plain letters in a search', async () => {
  const mark = randomUUID().slice(0, 6)
  const odd = await newUser({ username: fresh.username(), nickname: `${mark}%_\\x` })
  await newUser({ username: fresh.username(), nickname: `${mark}abcx` })
  expect(await found(`${mark}%`)).toEqual([odd])
  expect(await found(`${mark}%_\\`)).toEqual([odd])
  expect(await found(`${mark}__`)).toEqual([])
  expect(await found('%')).toEqual([])
  expect(await found("' OR true --")).toEqual([])
})

test('a text may be a username and a nickname’s prefix: the username comes first and no user twice', async () => {
  const username = fresh.username()
  const first = await newUser({ username, nickname: username })
  const others = [
    await newUser({ username: fresh.username(), nickname: `${username} a` }),
    await newUser({ username: fresh.username(), nickname: `${username.toUpperCase()} b` }),
  ]
  expect(await found(username)).toEqual([first, ...others])
  const paged = await Promise.all(times(4, (skip) => operator.call(queryUsers, { search: username, top: 1, skip })))
  expect(paged.map(({ data }) => idsOf(data?.data))).toEqual([[first], [others[0]], [others[1]], []])
  expect(paged.map(({ data }) => data?.count)).toEqual([3, 3, 3, 3])
})

test('four digits are the last four of numbers, newest first, and then how nicknames begin', async () => {
  const byNumber = []
  for (const start of ['1361234', '1371234', '1391234']) byNumber.push(await newUser({ mobile: `${start}8642` }))
  const byName = await newUser({ username: fresh.username(), nickname: '8642号' })
  const both = await newUser({ mobile: '15512348642', nickname: '8642' })
  expect(await found('8642')).toEqual([both, ...byNumber.reverse(), byName])
  expect((await operator.call(queryUsers, { search: '8642', skip: 3, top: 2 })).data).toMatchObject({ count: 5 })
})

test('a short id may be that of several: all are shown', async () => {
  const start = randomUUID().slice(0, 8)
  const ids = times(3, () => start + randomUUID().slice(8))
  for (const id of ids) await t.deps.pool.query('INSERT INTO users (site_id, id) VALUES ($1, $2)', [site.id, id])
  expect((await found(start.toUpperCase()))?.sort()).toEqual(ids.sort())
})

test('disabled users, operators and registration times can be filtered, also together', async () => {
  const at = await t.codeSite()
  const reader = await newOperator(at)
  await crowd(at, 30)
  const all = await inOrder(at)
  const off = [all[3], all[20], all[28]]
  await t.deps.pool.query("UPDATE users SET status = 'disabled' WHERE id = ANY($1)", [off])
  const list = async (input: Parameters<typeof reader.call<typeof queryUsers>>[1]) =>
    (await reader.call(queryUsers, { top: 100, ...input })).data
  expect(idsOf((await list({ only: 'disabled' }))?.data)).toEqual(off)
  expect((await list({ only: 'disabled' }))?.data[0]?.status).toBe('disabled')
  expect(idsOf((await list({ only: 'operators' }))?.data)).toEqual([reader.id])
  const since = (await list({}))?.data.find(({ id }) => id === all[20])?.since ?? 0
  const from = Math.floor(since / 1000) * 1000
  const recent = await list({ from })
  expect(recent?.count).toBe(recent?.data.length)
  expect(idsOf(recent?.data)).toContain(all[20])
  expect(recent?.data.every((row) => row.since >= from)).toBe(true)
  const earlier = await list({ to: from })
  expect(earlier?.data.every((row) => row.since < from)).toBe(true)
  expect((recent?.count ?? 0) + (earlier?.count ?? 0)).toBe(31)
  expect(idsOf((await list({ only: 'disabled', from }))?.data)).toEqual([all[3], all[20]])
  expect(idsOf((await list({ only: 'disabled', from, to: from + 1 }))?.data)).toEqual(
    idsOf((await list({ from, to: from + 1 }))?.data)?.filter((id) => off.includes(id)),
  )
  // A search knows no filters.
  expect(idsOf((await list({ search: all[5] as string, only: 'disabled' }))?.data)).toEqual([all[5]])
})

test('searches and filters count to 1,000 and show no row past that', async () => {
  const at = await t.codeSite()
  const reader = await newOperator(at)
  await crowd(at, 1_100)
  const all = await inOrder(at)
  const input = { from: 0, top: 100 }
  expect((await reader.call(queryUsers, input)).data).toMatchObject({ count: 1_000, more: true })
  const last = (await reader.call(queryUsers, { ...input, skip: 950 })).data
  expect(idsOf(last?.data)).toEqual(all.slice(950, 1_000))
  expect((await reader.call(queryUsers, { ...input, skip: 1_000 })).data?.data).toEqual([])
  await t.deps.pool.query("UPDATE users SET nickname = '同名' WHERE site_id = $1 AND id <> $2", [at.id, reader.id])
  expect((await reader.call(queryUsers, { search: '同', skip: 995 })).data).toMatchObject({ count: 1_000, more: true })
  expect((await reader.call(queryUsers, { search: '同', skip: 995 })).data?.data).toHaveLength(5)
})

test('another site’s users are never listed, found or counted', async () => {
  const other = await t.codeSite()
  const reader = await newOperator(other)
  const given = { mobile: '13522223333', email: fresh.email(), username: fresh.username(), nickname: '他站之人' }
  const id = await newUser(given)
  for (const text of [given.mobile, '3333', given.email, given.username, id, shortId(id), '他站'])
    expect(await found(text, reader), text).toEqual([])
  expect((await reader.call(queryUsers, {})).data).toMatchObject({ count: 1, data: [{ id: reader.id }] })
  expect((await reader.call(queryUsers, { only: 'operators' })).data?.count).toBe(1)
})

test('D010 without MERCHANT READ the list is refused', async () => {
  expect((await (await t.signIn(site)).call(queryUsers, {})).code).toBe('FORBIDDEN')
  expect((await t.call(site, queryUsers, {})).code).toBe('NOT_LOGGED_IN')
})

test('pages past the first 10,000 rows are right to the row over the edges of buckets', async () => {
  const at = await t.codeSite()
  const reader = await newOperator(at)
  await crowd(at, 13_000)
  await closeBuckets(t.deps.db, at.id)
  expect(await bucketsOf(at)).toEqual(times(25, () => ({ kept: 512, held: 512 })))
  const all = await inOrder(at)
  const closed = all.length - 25 * 512
  for (const skip of [9_990, 9_991, ...times(40, (n) => 10_000 + n * 74), closed + 22 * 512 - 5, closed + 22 * 512]) {
    const page = (await reader.call(queryUsers, { skip, top: 10 })).data
    expect(page?.count, `${skip}`).toBe(13_001)
    expect(idsOf(page?.data), `${skip}`).toEqual(all.slice(skip, skip + 10))
  }
  expect(idsOf((await reader.call(queryUsers, { skip: 12_995 })).data?.data)).toEqual(all.slice(12_995))
  expect((await reader.call(queryUsers, { skip: 13_001 })).data?.data).toEqual([])
  // A later registration moves every row by one.
  await newUser({ username: fresh.username() }, at)
  const moved = (await reader.call(queryUsers, { skip: 11_000 })).data
  expect(moved?.count).toBe(13_002)
  expect(idsOf(moved?.data)).toEqual(all.slice(10_999, 11_009))
})

/** What each bucket says that it holds, and what it does hold. */
async function bucketsOf(at: { id: SiteId }): Promise<{ kept: number; held: number }[]> {
  const { rows } = await t.deps.pool.query(
    `SELECT b.count AS kept, (SELECT count(*)::int FROM users u WHERE u.site_id = $1 AND (u.listed_at, u.id) <= (b.listed_at, b.id)
       AND (b.before IS NULL OR (u.listed_at, u.id) > (b.before, b.before_id))) AS held
     FROM (SELECT *, lag(listed_at) OVER w AS before, lag(id) OVER w AS before_id FROM user_bucket WHERE site_id = $1
       WINDOW w AS (ORDER BY listed_at, id)) b ORDER BY b.listed_at, b.id`,
    [at.id],
  )
  return rows
}

const remove = (at: { id: SiteId }, id: string) =>
  t.deps.db.transaction().execute((tx) => deleteUser(tx, at.id, id as UserId))

test('only full buckets of users who came more than a minute ago are closed, and only once', async () => {
  const at = await t.site()
  await crowd(at, 1_500)
  await t.deps.pool.query('INSERT INTO users (site_id, id) SELECT $1, gen_random_uuid() FROM generate_series(1, 600)', [
    at.id,
  ])
  const job = userListIndexJob(t.deps)
  await Promise.all(times(3, () => job.run({})))
  expect(await bucketsOf(at)).toEqual(times(2, () => ({ kept: 512, held: 512 })))
  await t.deps.pool.query(
    "UPDATE users SET listed_at = now() - interval '61 s' WHERE site_id = $1 AND mobile IS NULL",
    [at.id],
  )
  await job.run({})
  expect(await bucketsOf(at)).toEqual(times(4, () => ({ kept: 512, held: 512 })))
})

test('a user who is deleted leaves their bucket, once, and their names are free', async () => {
  const at = await t.site()
  const given = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username() }
  const id = await newUser(given, at)
  await t.deps.pool.query("UPDATE users SET listed_at = now() - interval '2 hours' WHERE id = $1", [id])
  await crowd(at, 1_100)
  await closeBuckets(t.deps.db, at.id)
  const outcomes = await Promise.all(times(5, () => remove(at, id)))
  expect(outcomes.filter(Boolean)).toHaveLength(1)
  expect((await bucketsOf(at)).map(({ kept }) => kept)).toEqual([511, 512])
  const [newest] = await inOrder(at)
  expect(await remove(at, newest ?? '')).toBe(true)
  expect((await bucketsOf(at)).map(({ kept }) => kept)).toEqual([511, 512])
  expect(await newUser(given, at)).not.toBe(id)
})

test('sealing and deleting at the same time never miss each other', async () => {
  const at = await t.site()
  for (let round = 0; round < 6; round++) {
    await crowd(at, 2_000, round * 2_000)
    const victims = (await inOrder(at)).filter((_, position) => position % 20 === round)
    const deletions = times(6, async () => {
      for (let id = victims.pop(); id; id = victims.pop()) await remove(at, id)
    })
    await Promise.all([...deletions, ...times(3, () => closeBuckets(t.deps.db, at.id))])
  }
  const buckets = await bucketsOf(at)
  expect(buckets.length).toBeGreaterThan(15)
  expect(buckets.map(({ kept }) => kept)).toEqual(buckets.map(({ held }) => held))
})

test('while users come and go the first 10,000 rows are exact and deeper ones are off by no more than what changed', async () => {
  const at = await t.codeSite()
  const reader = await newOperator(at)
  await crowd(at, 12_000)
  await closeBuckets(t.deps.db, at.id)
  await reader.call(queryUsers, {})
  const before = await inOrder(at)
  const gone = before.filter((_, position) => position % 400 === 399)
  for (const id of gone) await remove(at, id)
  for (let n = 0; n < 20; n++) await newUser({ username: fresh.username() }, at)
  const all = await inOrder(at)
  for (const skip of [0, 395, 5_000, 9_990])
    expect(idsOf((await reader.call(queryUsers, { skip })).data?.data), `${skip}`).toEqual(all.slice(skip, skip + 10))
  const deep = (await reader.call(queryUsers, { skip: 11_000 })).data
  const off = Math.abs(all.indexOf(deep?.data[0]?.id ?? '') - 11_000)
  expect(off).toBeLessThanOrEqual(gone.length)
  expect(Math.abs((deep?.count ?? 0) - all.length)).toBeLessThanOrEqual(gone.length)
})

test('a process renews what it knows of buckets after five minutes behind the scenes and after ten at once', async () => {
  const at = await t.site()
  const clock = { time: Date.now(), now: () => clock.time }
  const index = createUserListIndexes({ ...t.deps, clock })
  const known = async () => closedCount(await index.of(at.id))
  expect(await known()).toBe(0)
  await crowd(at, 512)
  await closeBuckets(t.deps.db, at.id)
  clock.time += 4 * 60_000
  expect(await known()).toBe(0)
  clock.time += 60_000
  expect(await known()).toBe(0)
  await expect.poll(known).toBe(512)
  await crowd(at, 512, 600)
  await closeBuckets(t.deps.db, at.id)
  clock.time += 10 * 60_000
  expect(await known()).toBe(1_024)
  // With many users in no bucket it is renewed sooner.
  await crowd(at, 512, 1_200)
  await closeBuckets(t.deps.db, at.id)
  clock.time += 10_000
  index.noteTail(at.id, await index.of(at.id), 4_000)
  expect(await known()).toBe(1_024)
  index.noteTail(at.id, await index.of(at.id), 5_000)
  await expect.poll(known).toBe(1_536)
})

test('all users, and those since a moment, are counted from buckets and what is not in one yet', async () => {
  const at = await t.site()
  await crowd(at, 3_000)
  await closeBuckets(t.deps.db, at.id)
  await newUser({ username: fresh.username() }, at)
  expect(await countUsers(t.deps, at.id)).toBe(3_001)
  const { rows } = await t.deps.pool.query<{ time: number; count: number }>(
    `SELECT (extract(epoch FROM m) * 1000)::float8 AS time,
       (SELECT count(*)::int FROM users WHERE site_id = $1 AND listed_at >= m) AS count
     FROM (SELECT date_trunc('milliseconds', listed_at) AS m FROM users WHERE site_id = $1 ORDER BY random() LIMIT 30) moments
     UNION ALL VALUES (0, 3001)`,
    [at.id],
  )
  for (const { time, count } of rows) expect(await countSince(t.deps, at.id, time), `${time}`).toBe(count)
  expect(await countSince(t.deps, at.id, Date.now() + 60_000)).toBe(0)
})
