import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../tools/stores/ports.ts'
import { fresh, startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { createUser } from '../../features/users/users.service.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { connectRedis } from '../../platform/redis/client.ts'
import type { Deps } from '../deps.ts'
import { changeSessions, changeUser } from './change-user.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.site()
})
afterAll(() => t.close())

let userId: UserId
let notes: string[]
beforeEach(async () => {
  userId = await createUser(t.deps, site.id, { username: fresh.username(), nickname: 'before' }, 'test')
  notes = []
})

const [first, second] = ['first' as SessionId, 'second' as SessionId]

async function nickname(): Promise<string> {
  const { rows } = await t.deps.pool.query('SELECT nickname FROM users WHERE id = $1', [userId])
  return rows[0].nickname
}

/** The real Redis. Each write is noted with what another connection reads of the user at that moment. */
const noting = (): Pick<Deps, 'db' | 'cache'> => ({
  db: t.deps.db,
  cache: new Proxy(t.deps.cache, {
    get(target, name: 'set' | 'publish') {
      const method = target[name] as unknown as (...args: string[]) => Promise<unknown>
      if (name !== 'set' && name !== 'publish') return method
      return async (...args: [string, string]) => {
        const what = name === 'set' ? args[0].replace(/^\{.*\}:/, '') : `publish ${JSON.parse(args[1]).part}`
        notes.push(`${await nickname()}: ${what}`)
        return await method.apply(target, args)
      }
    },
  }),
})

const rename = (tx: Db) => sql`UPDATE users SET nickname = 'after' WHERE id = ${userId}`.execute(tx)

test('a change of a user is committed, then the user is invalidated, then the sessions that it reports', async () => {
  const result = await changeUser(noting(), site.id, userId, async (tx, ended) => {
    await rename(tx)
    ended([first])
    ended([second])
    return 'done'
  })
  expect(result).toBe('done')
  const user = ['u2', 'u', 'publish user']
  const sessions = ['s2:first', 's:first', 's2:second', 's:second', 'publish session']
  expect(notes.slice(0, 3).sort()).toEqual(user.map((what) => `after: ${what}`).sort())
  expect(notes.slice(3).sort()).toEqual(sessions.map((what) => `after: ${what}`).sort())
})

test('a change that reports no session invalidates the user alone, and one of sessions these alone', async () => {
  await changeUser(noting(), site.id, userId, rename)
  expect(notes.sort()).toEqual(['after: publish user', 'after: u', 'after: u2'])
  notes = []
  await changeSessions(noting(), site.id, userId, async (_tx, ended) => ended([first]))
  expect(notes.sort()).toEqual(['after: publish session', 'after: s2:first', 'after: s:first'])
})

test('a change that fails is rolled back and invalidates nothing', async () => {
  const failing = changeUser(noting(), site.id, userId, async (tx, ended) => {
    await rename(tx)
    ended([first])
    throw new Error('refused')
  })
  await expect(failing).rejects.toThrow('refused')
  expect([await nickname(), notes]).toEqual(['before', []])
})

test('without Redis a change is committed and answered', async () => {
  const cache = connectRedis(`redis://127.0.0.1:${await freePort()}`, { timeoutMs: 100 }, () => {})
  expect(await changeUser({ db: t.deps.db, cache }, site.id, userId, async (tx) => void (await rename(tx)))).toBe(
    undefined,
  )
  expect(await nickname()).toBe('after')
  cache.disconnect()
})

const source = join(import.meta.dirname, '../..')

/** The module itself, and where a cached user or session is invalidated by hand, for the reason given there. */
const callers = ['http/visitor.ts', 'shared/sessions/change-user.ts', 'shared/sessions/sessions.ts']

test('every file that invalidates a cached user or session by itself is listed here', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) => /\binvalidate(User|Sessions?)\b/.test(readFileSync(join(source, file), 'utf8')))
  expect(found.sort()).toEqual(callers)
})
