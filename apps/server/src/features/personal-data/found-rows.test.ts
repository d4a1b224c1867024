import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillEverything, fillWithOthers } from '../../../test/personal-seed.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { makeArchive } from './archive.ts'
import { eraseUser } from './erase-user.ts'
import { readWhose } from './personal-data.store.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const rowsOfOthers = 2_000

/** How many rows of each large table were read. Of operators' files there are never more than a few. */
async function readsOf(tx: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; reads: number }>`
    SELECT relid::regclass::text AS name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS reads
    FROM pg_stat_xact_user_tables JOIN pg_class ON oid = relid
    WHERE reltuples >= ${rowsOfOthers} AND relid <> 'user_export'::regclass`.execute(tx)
  return new Map(rows.map(({ name, reads }) => [name, reads]))
}

/** Tables of which more was read since then than one user can have. */
async function readWhole(tx: Db, before: Map<string, number>): Promise<string[]> {
  const now = await readsOf(tx)
  return [...now].filter(([name, reads]) => reads - (before.get(name) ?? 0) > rowsOfOthers / 10).map(([name]) => name)
}

test('an archive and erasing read few rows of others, however many there are', { timeout: 120_000 }, async () => {
  const site = await t.site()
  const { id } = await fillEverything(t, site)
  await fillWithOthers(t, rowsOfOthers)
  await t.deps.db.transaction().execute(async (tx) => {
    const before = await readsOf(tx)
    expect([...before.keys()]).toEqual(
      expect.arrayContaining(['pgboss.job_common', 'wechat_ticket', 'login_confirm', 'authorize_ticket', 'blob']),
    )
    const whose = await readWhose(tx, site.id, id)
    if (!whose) throw new Error('no such user')
    const about = { site: '', origin: site.origin, userId: id, time: new Date() }
    await makeArchive(tx, about, whose, async () => {})
    expect(await readWhole(tx, before), 'an archive').toEqual([])
    expect(await eraseUser(tx, t.deps, site.id, id)).toBeDefined()
    expect(await readWhole(tx, before), 'erasing').toEqual([])
  })
})
