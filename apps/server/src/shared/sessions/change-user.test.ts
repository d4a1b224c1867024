import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import { changeSessions, changeUser } from './change-user.ts'

const siteId = '00000000-0000-4000-8000-000000000001' as SiteId
const userId = '00000000-0000-4000-8000-000000000002' as UserId
const [first, second] = ['first' as SessionId, 'second' as SessionId]

type Needs = Pick<Deps, 'db' | 'cache'>

/** Stores that note when the transaction commits, and which keys are invalidated and published. */
function noting(notes: string[]): Needs {
  async function execute(change: (tx: Db) => Promise<unknown>) {
    const result = await change({} as Db)
    notes.push('commit')
    return result
  }
  const cache = {
    set: async (key: string) => notes.push(key.replace(/^\{.*\}:/, '')),
    publish: async (_channel: string, text: string) => notes.push(`publish ${JSON.parse(text).part}`),
  }
  return { db: { transaction: () => ({ execute }) }, cache } as unknown as Needs
}

test('a change of a user is committed, then the user is invalidated, then the sessions that it reports', async () => {
  const notes: string[] = []
  const result = await changeUser(noting(notes), siteId, userId, async (_tx, ended) => {
    ended([first])
    ended([second])
    return 'done'
  })
  expect(result).toBe('done')
  const sessions = ['s2:first', 's:first', 's2:second', 's:second']
  expect(notes).toEqual(['commit', 'u2', 'u', 'publish user', ...sessions, 'publish session'])
})

test('a change that reports no session invalidates the user alone, and one of sessions these alone', async () => {
  const ofUser: string[] = []
  await changeUser(noting(ofUser), siteId, userId, async () => {})
  expect(ofUser).toEqual(['commit', 'u2', 'u', 'publish user'])
  const ofSession: string[] = []
  await changeSessions(noting(ofSession), siteId, userId, async (_tx, ended) => ended([first]))
  expect(ofSession).toEqual(['commit', 's2:first', 's:first', 'publish session'])
})

test('a change that fails invalidates nothing; without Redis a change is still answered', async () => {
  const notes: string[] = []
  const failing = changeUser(noting(notes), siteId, userId, async (_tx, ended) => {
    ended([first])
    throw new Error('refused')
  })
  await expect(failing).rejects.toThrow('refused')
  expect(notes).toEqual([])
  const away = () => Promise.reject(new Error('away'))
  const cache = { set: away, publish: away } as unknown as Deps['cache']
  expect(await changeUser({ ...noting([]), cache }, siteId, userId, async () => 'done')).toBe('done')
})

const source = join(import.meta.dirname, '../..')

/** The module itself, and where a cached user or session is invalidated by hand, for the reason given there. */
const callers = ['http/visitor.ts', 'shared/sessions/change-user.ts', 'shared/sessions/sessions.ts']

test('every file that invalidates a cached user or session by itself is listed here', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) => /\binvalidate(User|Sessions?)\b/.test(readFileSync(join(source, file), 'utf8')))
  expect(found.sort()).toEqual(callers)
})
