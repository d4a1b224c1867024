import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hufu } from '../../../../../tools/run/product.ts'
import { type Member, member, signInAgain } from '../../../test/account-user.ts'
import { createDatabase, sessionOf, startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { parseKeys, seal } from '../../platform/crypto/secrets.ts'
import type { UserId } from '../../platform/ids.ts'
import { upkeep } from '../../worker.ts'
import { eraseUser } from './erase-user.ts'
import { readSealed, rotateSealed } from './sealed.service.ts'

const key = (id: number) => `${id}:${randomBytes(32).toString('base64')}`
const keys = key(1)

let t: TestApp
let site: TestSite
let environment: Record<string, string>
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  t = await startTestApp({ HUFU_DATABASE_URL, HUFU_KEYS: keys })
  site = await t.codeSite()
  environment = { HUFU_DATABASE_URL, HUFU_REDIS_URL: t.deps.config.redisUrl, HUFU_KEYS: keys }
})
afterAll(() => t.close())

/** A user who signed in twice and was erased. */
async function gone(at = site): Promise<Member & { id: UserId }> {
  const user = await member(t, at)
  const id = user.id as UserId
  await signInAgain(t, at, user)
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, at.id, id))
  return { ...user, id }
}

const read = (id: UserId, reason = '公安机关调取 2026-15', at = site) =>
  readSealed(t.deps, at.id, id, { operator: 'cli', reason })

const age = (id: UserId, time: string) =>
  t.deps.pool.query('UPDATE sealed_sign_in SET at = at - $2::interval WHERE user_id = $1', [id, time])

const stored = async (id: UserId): Promise<{ sealed: string }[]> =>
  (await t.deps.pool.query('SELECT sealed FROM sealed_sign_in WHERE user_id = $1 ORDER BY at', [id])).rows

const records = async (id: UserId) =>
  (
    await t.deps.pool.query("SELECT operator, detail FROM operator_log WHERE action = 'sealed.read' AND target = $1", [
      id,
    ])
  ).rows

test('D129 the command line alone reads who signed in, and why is on record', { timeout: 60_000 }, async () => {
  const { id, mobile, email, username } = await gone()
  const command = ['sealed', 'read', '--site', site.host, '--user', id]
  await expect(hufu(environment, command)).rejects.toThrow()
  await expect(hufu(environment, [...command, '--reason', '  '])).rejects.toThrow()
  expect(await records(id)).toEqual([])
  const lines = (await hufu(environment, [...command, '--reason', '公安机关调取', '--by', 'lin.zhixia']))
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toMatchObject({ user: id, event: 'login', address: '127.0.0.1', detail: { method: 'password' } })
    expect(line.names.map(({ value }: { value: string }) => value)).toEqual([email, `+86${mobile}`, username])
    expect(Math.abs(Date.parse(line.time) - Date.now())).toBeLessThan(60_000)
  }
  expect(await records(id)).toEqual([{ operator: 'cli:lin.zhixia', detail: { reason: '公安机关调取' } }])
})

test('of two that erase a user at once one does, and nothing is sealed twice', async () => {
  const user = await member(t, site)
  const id = user.id as UserId
  const erase = () => t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, id))
  const ended = await Promise.all([erase(), erase(), erase()])
  expect(ended.filter((sessions) => sessions !== undefined)).toEqual([[sessionOf(user)]])
  expect(await stored(id)).toHaveLength(1)
})

test('what is kept is encrypted, and opens nowhere but in its own row', async () => {
  const [one, another] = [await gone(), await gone()]
  const rows = await stored(one.id)
  expect(rows).toHaveLength(2)
  for (const { sealed } of rows) expect(sealed).toMatch(/^sealed:1:[A-Za-z0-9+/=]+$/)
  await t.deps.pool.query('UPDATE sealed_sign_in SET sealed = $2 WHERE user_id = $1', [another.id, rows[0]?.sealed])
  await expect(read(another.id)).rejects.toThrow()
  // A failed read is not recorded.
  expect(await records(another.id)).toEqual([])
  await t.deps.pool.query('DELETE FROM sealed_sign_in WHERE user_id = $1', [another.id])
})

test('after 183 days nothing is read any more, and upkeep leaves nothing', async () => {
  const { id } = await gone()
  await age(id, '182 days 23 hours')
  await upkeep(t.deps.pool).run({})
  expect(await read(id)).toHaveLength(2)
  await age(id, '1 hour')
  expect(await read(id)).toEqual([])
  expect(await stored(id)).toHaveLength(2)
  await upkeep(t.deps.pool).run({})
  expect(await stored(id)).toEqual([])
})

test('sign-ins that are older than that are not kept at all', async () => {
  const user = await member(t, site)
  const id = user.id as UserId
  await t.deps.pool.query("UPDATE security_log SET at = at - interval '184 days' WHERE user_id = $1", [id])
  await signInAgain(t, site, user)
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, id))
  expect(await stored(id)).toHaveLength(1)
})

test('more rows than are sealed anew at once are gone through, those that are done left as they are', async () => {
  const { id } = await gone()
  const [one] = await stored(id)
  // Rows of one moment and rows microseconds apart: the scan continues from exactly the last one.
  await t.deps.pool.query(
    `INSERT INTO sealed_sign_in (site_id, user_id, at, id, sealed)
     SELECT site_id, user_id, at + interval '1 microsecond' * (n / 3), md5(n::text)::uuid, 'sealed:3:done'
     FROM sealed_sign_in, generate_series(1, 1300) n WHERE user_id = $1 AND sealed = $2`,
    [id, one?.sealed],
  )
  const { rows } = await t.deps.pool.query('SELECT id FROM sealed_sign_in WHERE user_id = $1 AND sealed = $2', [
    id,
    'sealed:3:done',
  ])
  const context = (row: string) => `${site.id}/sealed-sign-in/${id}/${row}`
  for (const row of rows.slice(0, 1200))
    await t.deps.pool.query('UPDATE sealed_sign_in SET sealed = $2 WHERE id = $1', [
      row.id,
      seal(t.deps.config.keys, context(row.id), '{}'),
    ])
  const rotated = { ...t.deps, config: { ...t.deps.config, keys: parseKeys(`${key(3)},${keys}`) } }
  const others = (await t.deps.pool.query("SELECT FROM sealed_sign_in WHERE NOT starts_with(sealed, 'sealed:3:')")).rows
  expect(others.length).toBeGreaterThanOrEqual(1202)
  expect(await rotateSealed(rotated)).toBe(others.length)
  expect((await stored(id)).filter(({ sealed }) => sealed === 'sealed:3:done')).toHaveLength(100)
  expect(await rotateSealed(rotated)).toBe(0)
  await t.deps.pool.query('DELETE FROM sealed_sign_in')
})

test('keys rotate under sealed rows as well', async () => {
  const { id } = await gone()
  const before = await read(id)
  const rotated = { ...t.deps, config: { ...t.deps.config, keys: parseKeys(`${key(2)},${keys}`) } }
  expect(await rotateSealed(rotated)).toBeGreaterThanOrEqual(2)
  expect(await rotateSealed(rotated)).toBe(0)
  for (const { sealed } of await stored(id)) expect(sealed).toMatch(/^sealed:2:/)
  expect(await readSealed(rotated, site.id, id, { operator: 'cli', reason: 'x' })).toEqual(before)
  await expect(read(id)).rejects.toThrow()
})
