import { randomUUID } from 'node:crypto'
import { loginByPassword } from '@hufu/contract/login'
import { readUser, userDevices, userSecurityLog } from '@hufu/contract/merchant-users'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, signInAgain } from '../../../test/account-user.ts'
import { newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { sessionOf, startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let reader: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  reader = await newOperator(t, site, ['READ'], { check: false })
})
afterAll(() => t.close())

/** Looks within one minute are one line; this begins another. */
const nextMinute = async () => {
  const { rows } = await t.deps.pool.query('SELECT 60 - extract(second FROM now()) AS "left"')
  if (Number(rows[0].left) < 5) await new Promise((resolve) => setTimeout(resolve, Number(rows[0].left) * 1000 + 100))
}

test('S011 D066 READ opens a user, masked, and who opened whom is on record, a line a minute', async () => {
  const user = await member(t, site)
  await nextMinute()
  const [answer] = await Promise.all(times(10, () => reader.call(readUser, { id: user.id })))
  expect(answer?.data).toMatchObject({
    id: user.id,
    status: 'active',
    mobilePrefix: '86',
    mobile: `${user.mobile.slice(0, 3)}****${user.mobile.slice(-4)}`,
    email: `${user.email.slice(0, 2)}****@example.com`,
    username: user.username,
    password: true,
    wechat: false,
    avatar: null,
    permission: {},
    releasable: true,
  })
  expect(Math.abs((answer?.data?.since ?? 0) - Date.now())).toBeLessThan(60_000)
  expect((await reader.call(readUser, { id: user.id.toUpperCase() })).data?.id).toBe(user.id)
  const looks = (await recordsOf(t, site, reader.id)).filter(({ target }) => target === user.id)
  expect(looks).toEqual([{ operator: reader.id, action: 'user.read', target: user.id, detail: {} }])
})

test('D066 what cannot be recorded is not shown', async () => {
  const user = await member(t, site)
  const { pool } = t.deps
  await pool.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'full'; END $$`)
  await pool.query('CREATE TRIGGER full_log BEFORE INSERT ON operator_log FOR EACH ROW EXECUTE FUNCTION fail()')
  try {
    for (const endpoint of [readUser, userDevices, userSecurityLog]) {
      const { status, data } = await reader.call(endpoint, { id: user.id })
      expect([status, data]).toEqual([500, undefined])
    }
  } finally {
    await pool.query('DROP TRIGGER full_log ON operator_log')
  }
})

test('a user of another site, an unknown and a broken id are unknown, and leave no record', async () => {
  const abroad = await member(t, await t.site())
  const before = await recordsOf(t, site, reader.id)
  for (const endpoint of [readUser, userDevices, userSecurityLog]) {
    const [foreign, unknown] = [
      await reader.call(endpoint, { id: abroad.id }),
      await reader.call(endpoint, { id: randomUUID() }),
    ]
    expect(foreign).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect([foreign.status, foreign.code, foreign.message]).toEqual([unknown.status, unknown.code, unknown.message])
    expect((await reader.call(endpoint, { id: 'x' })).code).toBe('INPUT_INVALID')
  }
  expect(await recordsOf(t, site, reader.id)).toEqual(before)
})

test('the browsers of a user, newest first and by pages; looking at them is on record too', async () => {
  const user = await member(t, site)
  const browsers = [user, await signInAgain(t, site, user), await signInAgain(t, site, user)]
  const ids = browsers.map(sessionOf).reverse()
  const first = await reader.call(userDevices, { id: user.id, top: 2 })
  expect(first.data?.count).toBe(3)
  expect(first.data?.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  const rest = await reader.call(userDevices, { id: user.id, top: 2, skip: 2 })
  expect(rest.data?.data).toMatchObject([{ id: ids[2], ip: '127.0.0.1' }])
  expect((await recordsOf(t, site, reader.id)).filter(({ target }) => target === user.id).length).toBeGreaterThan(0)
})

test('what happened to an account, newest first, with how and from where; nothing else of it', async () => {
  const user = await member(t, site)
  const stranger = t.browser(site, { address: '120.24.78.68' })
  for (const wrong of times(3, (n) => `Wrong#2026${n}`))
    await stranger.call(loginByPassword, { account: user.username, password: wrong })
  await stranger.call(loginByPassword, { account: user.username, password: 'Qy#2026autumn' })
  const { data } = await reader.call(userSecurityLog, { id: user.id })
  expect(data).toMatchObject({ count: 3, more: false })
  const [login, ...others] = data?.data ?? []
  expect(login).toMatchObject({ event: 'login', method: 'password', ip: '120.24.78.68', count: null })
  expect(login?.region).toContain('深圳')
  expect(login?.browser).toBeTruthy()
  // The failures carry the beginning of their minute.
  const failed = others.find(({ event }) => event === 'login.failed')
  expect(failed?.count).toBeGreaterThan(0)
  expect(JSON.stringify(data)).not.toContain('session')
})

test('the log of an account is counted to 1,000 and shown no further', async () => {
  const user = await member(t, site)
  const fill = (count: number) =>
    t.deps.pool.query(
      `INSERT INTO security_log (site_id, at, user_id, event)
       SELECT $1, now() - make_interval(mins => n), $2, 'filled' FROM generate_series(1, $3) n`,
      [site.id, user.id, count],
    )
  await fill(999)
  expect((await reader.call(userSecurityLog, { id: user.id })).data).toMatchObject({ count: 1000, more: false })
  await fill(5)
  const last = await reader.call(userSecurityLog, { id: user.id, top: 100, skip: 950 })
  expect(last.data).toMatchObject({ count: 1000, more: true })
  expect(last.data?.data).toHaveLength(50)
  expect((await reader.call(userSecurityLog, { id: user.id, skip: 1_000_000_000 })).data?.data).toEqual([])
})
