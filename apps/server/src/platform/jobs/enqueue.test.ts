import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import type { SiteId } from '../ids.ts'
import { enqueue } from './enqueue.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const stored = async (siteId: SiteId) =>
  (
    await t.deps.pool.query(
      `SELECT name, data, retry_limit, retry_delay, retry_backoff, expire_seconds, dead_letter,
        extract(epoch FROM start_after - created_on)::int AS delay
      FROM pgboss.job WHERE data->>'siteId' = $1`,
      [siteId],
    )
  ).rows

test('a job has five retries of two minutes unless said otherwise', async () => {
  const siteId = randomUUID() as SiteId
  await enqueue(t.deps.db, 'mail-notice', { siteId, text: 'hello' })
  expect(await stored(siteId)).toEqual([
    {
      name: 'mail-notice',
      data: { siteId, text: 'hello' },
      retry_limit: 5,
      retry_delay: 0,
      retry_backoff: true,
      expire_seconds: 120,
      dead_letter: null,
      delay: 0,
    },
  ])
})

test('every option is stored, and a job without retries has no backoff', async () => {
  const siteId = randomUUID() as SiteId
  const options = { retries: 0, retryDelay: 300, timeout: 60, delay: 90, deadLetter: 'user-export-failed' }
  await enqueue(t.deps.db, 'user-export', { siteId }, options)
  expect(await stored(siteId)).toMatchObject([
    {
      retry_limit: 0,
      retry_delay: 300,
      retry_backoff: false,
      expire_seconds: 60,
      dead_letter: 'user-export-failed',
      delay: 90,
    },
  ])
})

test('a job whose cause is rolled back was never queued', async () => {
  const siteId = randomUUID() as SiteId
  const failing = t.deps.db.transaction().execute(async (tx) => {
    await enqueue(tx, 'mail-notice', { siteId })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await stored(siteId)).toEqual([])
})

const source = join(import.meta.dirname, '../..')

test('jobs are queued here alone', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const found = files.filter((file) => /INSERT INTO\s+pgboss/i.test(readFileSync(join(source, file), 'utf8')))
  expect(found).toEqual(['platform/jobs/enqueue.ts'])
})
