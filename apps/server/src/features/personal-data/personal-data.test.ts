import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Filled, fillEverything } from '../../../test/personal-seed.ts'
import { lockedOut } from '../../../test/race.ts'
import { startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { unzip } from '../../../test/unzip.ts'
import { addEntry, holdFeedback } from '../feedback/feedback.store.ts'
import { insertNote } from '../feedback/notes.store.ts'
import { keepPart } from '../merchant-users/user-export.store.ts'
import { withheld } from './archive.ts'
import { dataExportJob } from './data-export.ts'
import { eraseUser } from './erase-user.ts'
import { archivedTables, personalTables } from './personal-data.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

/** Tables that hold no personal data but, at most, an id that is meaningless once the user is erased. */
const exceptions: Record<string, string> = {
  migration: 'which migrations have run',
  site: 'a brand',
  site_host: 'a brand',
  site_config: "the brand's own; saved_by is an operator's id",
  operator_log: 'kept for good and refuses changes; operator and target are ids, reasons are the words of operators',
  user_import: 'how many rows of which file were imported, by whom at the command line',
  password_form: 'how many passwords are hashed in which way',
  user_bucket: 'index for paging: the id of a user who may be erased',
  usage_hour: 'sums, and sets of hashed ids from which no user can be identified',
  usage_day: 'the same by days',
  usage_flush: 'marks of processes',
  send_budget: 'how many texts and mails of a day were sent by dial prefix',
  trouble: 'how often something went wrong in an hour',
  spent_challenge: 'hashes of answered challenges; five minutes',
  authorize_request: 'where a client wants its visitor back, before any user is known; ten minutes',
  sealed_sign_in: 'what the law keeps, encrypted, for 183 days',
  quick_reply: 'the site’s own texts, written in advance',
  oidc_key: "a brand's signing keys, encrypted",
  oidc_salt: 'a secret of the brand, encrypted',
  machine_read: 'how often a client of the brand made a call in an hour',
  idempotent_answer: 'ids and states that a client was answered, and hashes; 24 hours',
  event_head: 'how many events a brand has had',
  endpoint: 'where a brand has events delivered to, and how far that is',
}

/** What the job queue is made of; jobs are in the list, the rest knows queues and times. */
const queueTables = [
  'bam',
  'job',
  'job_dependency',
  'queue',
  'queue_stats',
  'schedule',
  'subscription',
  'version',
  'warning',
]

/** Every table but partitions, with its columns. */
async function tablesOf(schema: string): Promise<Map<string, string[]>> {
  const { rows } = await t.deps.pool.query(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
     GROUP BY c.relname ORDER BY c.relname`,
    [schema],
  )
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}

test('every column of every table is in the list of personal data, or its table is named as an exception', async () => {
  const listed = new Map(
    personalTables.map(({ table, rows, columns }) => [table, [...rows.keys, ...Object.keys(columns)]]),
  )
  const tables = await tablesOf('public')
  for (const [table, columns] of tables) {
    if (Object.hasOwn(exceptions, table)) continue
    expect([...new Set(listed.get(table))].sort(), table).toEqual(columns.sort())
  }
  const known = [...listed.keys(), ...Object.keys(exceptions)].filter((table) => table !== 'pgboss.job')
  expect(known.sort()).toEqual([...tables.keys()].sort())
  expect([...(await tablesOf('pgboss')).keys()].filter((name) => !/^job_common$/.test(name))).toEqual(queueTables)
})

async function archiveOf(site: TestSite, { id: userId }: Filled): Promise<Map<string, Buffer>> {
  const { rows } = await t.deps.pool.query(
    'INSERT INTO data_export (site_id, user_id, total) VALUES ($1, $2, 0) RETURNING id',
    [site.id, userId],
  )
  await dataExportJob(t.deps).run({ siteId: site.id, userId, id: rows[0].id })
  const kept = await t.deps.pool.query('SELECT bytes FROM blob WHERE site_id = $1 AND id = $2', [site.id, rows[0].id])
  return unzip(kept.rows[0].bytes)
}

interface Section {
  table: string
  fields: Record<string, string>
  rows: Record<string, unknown>[]
}

/** The rows of a site as the database itself puts them into JSON. */
async function rowsOf(
  site: TestSite,
  { table, rows }: (typeof personalTables)[number],
): Promise<Record<string, unknown>[]> {
  // Other systems are notified of an erasure, clients of the end of their logins too.
  const where = rows.keys.includes('site_id')
    ? `site_id = $1${table === 'event' ? ' AND subject IS NOT NULL' : ''}`
    : "data ->> 'siteId' = $1::text AND name <> 'oidc-logout'"
  return (await t.deps.pool.query(`SELECT to_jsonb(r) AS row FROM ${table} r WHERE ${where}`, [site.id])).rows.map(
    ({ row }) => row,
  )
}

const pictureOf = async (site: TestSite): Promise<string> =>
  (await t.deps.pool.query('SELECT id FROM feedback_picture WHERE site_id = $1', [site.id])).rows[0].id

test('the archive holds every field of the list: values as they are, secrets by name alone', {
  timeout: 60_000,
}, async () => {
  const site = await t.site({ name: '青屿生活' })
  const user = await fillEverything(t, site)
  const files = await archiveOf(site, user)
  const picture = `反馈图片/${await pictureOf(site)}.webp`
  expect([...files.keys()]).toEqual(['个人信息.json', '个人信息.html', 'avatar.webp', picture])
  const text = files.get('个人信息.json')?.toString() ?? ''
  const page = files.get('个人信息.html')?.toString() ?? ''
  const { sections, ...about } = JSON.parse(text) as { sections: Section[] } & Record<string, string>
  expect(about).toMatchObject({ site: '青屿生活', origin: site.origin, userId: user.id })
  expect(sections.map(({ table }) => table)).toEqual(archivedTables.map(({ table }) => table))
  for (const [index, table] of archivedTables.entries()) {
    const section = sections[index] as Section
    const stored = (await rowsOf(site, table)).filter(({ kind, total }) => kind !== 'export' && total !== 0)
    expect(section.rows.length, table.table).toBeGreaterThanOrEqual(stored.length)
    expect(page).toContain(`<h2>${table.title}</h2>`)
    for (const [name, { label, shown, as }] of Object.entries(table.columns)) {
      expect(section.fields[name]).toBe(label)
      expect(page, `${table.table}.${name}`).toContain(label)
      if (as) continue
      for (const row of stored) {
        const values = section.rows.map((each) => each[name])
        expect(row[name], `${table.table}.${name} is seeded`).not.toBeNull()
        if (shown === 'hidden') {
          expect(values, `${table.table}.${name}`).toContain(withheld)
          expect(text).not.toContain(JSON.stringify(row[name]).slice(1, -1))
        } else if (shown === 'time') {
          expect(values, `${table.table}.${name}`).toContain(new Date(row[name] as string).toISOString())
        } else expect(values, `${table.table}.${name}`).toContainEqual(row[name])
      }
    }
  }
})

/** A picture by a user, in another user's conversation or in no message yet. */
async function keepPicture(site: TestSite, author: Filled, talk: Filled | undefined): Promise<string> {
  const { rows } = await t.deps.pool.query(
    `INSERT INTO feedback_picture (site_id, id, author_id, feedback_id, width, height, bytes)
     VALUES ($1, gen_random_uuid(), $2, (SELECT feedback_id FROM feedback_of_user WHERE user_id = $3), 1, 1, $4)
     RETURNING id`,
    [site.id, author.id, talk?.id, Buffer.from('picture')],
  )
  return rows[0].id
}

test('pictures of the own conversations and those never sent are files of the archive and erased; others are neither', {
  timeout: 60_000,
}, async () => {
  const site = await t.site()
  const user = await fillEverything(t, site)
  const first = await pictureOf(site)
  const other = await fillEverything(t, site)
  const own = [first, await keepPicture(site, user, undefined), await keepPicture(site, other, user)]
  const theirs = [await keepPicture(site, other, undefined), await keepPicture(site, user, other)]
  const files = await archiveOf(site, user)
  const folder = [...files.keys()].filter((name) => name.startsWith('反馈图片/'))
  expect(folder.sort()).toEqual(own.map((id) => `反馈图片/${id}.webp`).sort())
  expect(files.get(`反馈图片/${own[1]}.webp`)?.toString()).toBe('picture')
  expect(files.get('个人信息.html')?.toString()).toContain(`<dt>图片</dt><dd>反馈图片/${first}.webp</dd>`)
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, user.id))
  const { rows } = await t.deps.pool.query('SELECT id FROM feedback_picture WHERE site_id = $1', [site.id])
  const left = rows.map(({ id }) => id)
  expect(left).toHaveLength(3)
  expect(left).toEqual(expect.arrayContaining(theirs))
})

test('of many pictures the newest go into the archive, and the others are named in it', {
  timeout: 60_000,
}, async () => {
  const site = await t.site()
  const user = await fillEverything(t, site)
  await t.deps.pool.query('DELETE FROM feedback_picture WHERE site_id = $1', [site.id])
  const kept: string[] = []
  for (const day of [4, 3, 2, 1]) {
    const id = await keepPicture(site, user, user)
    // Four of nine megabytes, where there is room for thirty.
    await t.deps.pool.query(
      `UPDATE feedback_picture SET created_at = now() - $2 * interval '1 day',
       bytes = convert_to(repeat('p', 9 * 1024 * 1024), 'UTF8') WHERE id = $1`,
      [id, day],
    )
    kept.push(id)
  }
  const files = await archiveOf(site, user)
  const folder = [...files.keys()].filter((name) => name.startsWith('反馈图片/'))
  expect(folder).toEqual(kept.slice(1).map((id) => `反馈图片/${id}.webp`))
  const { sections } = JSON.parse(files.get('个人信息.json')?.toString() ?? '') as { sections: Section[] }
  const rows = sections.find(({ table }) => table === 'feedback_picture')?.rows ?? []
  expect(rows.map(({ id, bytes }) => [id, bytes])).toEqual(
    kept.map((id, index) => [
      id,
      index === 0 ? '图片较多，未全部收入，可联系客服索取' : `见压缩包中的 反馈图片/${id}.webp`,
    ]),
  )
  expect(files.get('个人信息.html')?.toString()).toContain('图片较多，未全部收入，可联系客服索取')
})

test('of what operators noted for each other the archive holds not one word, not even that there is any', {
  timeout: 60_000,
}, async () => {
  const site = await t.site()
  const user = await fillEverything(t, site)
  const files = await archiveOf(site, user)
  const [notes] = personalTables.filter(({ erasedOnly }) => erasedOnly)
  if (!notes) throw new Error('no such table')
  const [note] = await rowsOf(site, notes)
  for (const text of [...files.values()].map(String))
    for (const word of [String(note?.text), String(note?.id), String(note?.author_id), 'feedback_note', notes.title])
      expect(text).not.toContain(word)
})

test('erasing leaves no row of anything that the archive showed, and no other user loses one', {
  timeout: 60_000,
}, async () => {
  const site = await t.site()
  const user = await fillEverything(t, site)
  const other = await fillEverything(t, site)
  await archiveOf(site, user)
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, user.id))
  const alone = await t.site()
  await fillEverything(t, alone)
  for (const table of personalTables) {
    const left = await rowsOf(site, table)
    expect(left.length, table.table).toBe((await rowsOf(alone, table)).length)
    expect(JSON.stringify(left), table.table).not.toContain(user.id)
  }
  expect(await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, user.id))).toBeUndefined()
  expect(await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, other.id))).toHaveLength(0)
  for (const table of personalTables) expect(await rowsOf(site, table), table.table).toEqual([])
})

test('what is being written for a user during the erasure goes with them', { timeout: 60_000 }, async () => {
  const site = await t.site()
  const { id } = await fillEverything(t, site)
  const first = async (table: string) =>
    (await t.deps.pool.query(`SELECT id FROM ${table} WHERE site_id = $1`, [site.id])).rows[0].id
  const [conversation, file] = [await first('feedback'), await first('user_export')]
  await t.deps.pool.query("UPDATE user_export SET status = 'running', parts = 7 WHERE id = $1", [file])
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const writing = t.deps.db.transaction().execute(async (tx) => {
    const held = await holdFeedback(tx, site.id, conversation)
    if (!held) throw new Error('no conversation')
    await addEntry(
      tx,
      site.id,
      conversation,
      { role: 'merchant', authorId: id, message: '补寄' },
      { ...held, waiting: false },
    )
    expect(await insertNote(tx, site.id, conversation, { id: file, authorId: id, text: '备注' }, 200)).toBeDefined()
    expect(await keepPart(tx, site.id, file, { number: 7, rows: 1, bytes: Buffer.from('x'), cursor: undefined })).toBe(
      true,
    )
    resolve()
    await lockedOut(t.deps.pool, 1)
  })
  await begun
  await t.deps.db.transaction().execute((tx) => eraseUser(tx, t.deps, site.id, id))
  await writing
  for (const table of personalTables) expect(await rowsOf(site, table), table.table).toEqual([])
})
