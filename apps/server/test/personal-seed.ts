import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { PersonalTable } from '../src/features/personal-data/personal-data.store.ts'
import { personalTables } from '../src/features/personal-data/personal-data.ts'
import { createUser } from '../src/features/users/users.service.ts'
import type { UserId } from '../src/platform/ids.ts'
import { password } from './account-user.ts'
import { fresh, type TestApp, type TestSite } from './test-app.ts'

export interface Filled {
  id: UserId
  mobile: string
  email: string
}

/** What can't be generated from a column's type alone. */
function given({ id, mobile, email }: Filled, site: TestSite): Record<string, Record<string, unknown>> {
  const [feedback, operatorsFile, picture] = [randomUUID(), randomUUID(), randomUUID()]
  const receiver = `+86${mobile}`
  return {
    '': { site_id: site.id, user_id: id, owner_id: id, operator_id: id },
    users: { id, status: 'disabled', mobile_prefix: '86', mobile, email },
    security_log: { at: new Date().toISOString() },
    code_send: { receiver, at: new Date().toISOString() },
    code: { receiver },
    receiver: { receiver },
    feedback_of_user: { feedback_id: feedback },
    feedback: { id: feedback, status: 2, rating: 4 },
    feedback_entry: {
      feedback_id: feedback,
      role: 'merchant',
      status: 1,
      pictures: JSON.stringify([{ id: picture, width: 3, height: 2 }]),
    },
    feedback_picture: { id: picture, feedback_id: feedback },
    feedback_note: { feedback_id: feedback },
    notice_link: { purpose: 'disown' },
    user_export: { id: operatorsFile, status: 'done', expires_at: new Date(Date.now() + 3_600_000).toISOString() },
    user_export_part: { export_id: operatorsFile },
    blob: { kind: 'avatar' },
    event: { subject: id },
    delivery: { subject: id },
    data_export: { status: 'done' },
    'pgboss.job': { name: 'mail-notice', data: { siteId: site.id, to: email, text: 'notice of a job' } },
  }
}

/** Something unmistakable of each type. */
const made: Record<string, (column: string) => unknown> = {
  uuid: () => randomUUID(),
  text: (column) => `${column} ${randomUUID()}`,
  'timestamp with time zone': () => new Date(Date.UTC(2026, 0, 1) + randomInt(10 ** 10)).toISOString(),
  bigint: () => randomInt(10 ** 6, 10 ** 9),
  'text[]': (column) => [`${column} ${randomUUID()}`],
  integer: () => randomInt(10 ** 6, 10 ** 9),
  boolean: () => true,
  bytea: () => randomBytes(24),
  inet: () => `198.51.100.${randomInt(1, 250)}`,
  jsonb: (column) => ({ [column]: randomUUID() }),
  json: (column) => ({ [column]: randomUUID() }),
}

async function typesOf(t: TestApp, table: string): Promise<Map<string, string>> {
  const { rows } = await t.deps.pool.query(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  )
  return new Map(rows.map(({ name, type }) => [name, type]))
}

async function fillTable(
  t: TestApp,
  { table, rows, columns }: PersonalTable,
  own: Record<string, unknown>,
): Promise<void> {
  const types = await typesOf(t, table)
  const names = [...new Set([...rows.keys, ...Object.keys(columns)])]
  const values = names.map((name) => own[name] ?? made[types.get(name) ?? '']?.(name))
  const missing = names.filter((_, index) => values[index] === undefined)
  if (missing.length > 0) throw new Error(`${table}: nothing to put into ${missing}`)
  const places = names.map((_, index) => `$${index + 1}`)
  await t.deps.pool.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`, values)
}

const like = (column: string) => `md5('${column}' || n)`

/** Identifiers besides ids: values that are no user's name. */
const others: Record<string, string> = {
  'event.pos': 'n',
  'delivery.pos': 'n',
  value: like('value'),
  receiver: like('receiver'),
  mobile: like('mobile'),
  address: "'10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256",
  'security_log.user_id': `CASE n % 2 WHEN 0 THEN ${like('user_id')} END`,
  'wechat_ticket.detail': `jsonb_build_object('ids', jsonb_build_object('openid', ${like('openid')}))`,
  'pgboss.job.data': `CASE n % 3 WHEN 0 THEN jsonb_build_object('siteId', r.data -> 'siteId', 'to', ${like('to')})
    WHEN 1 THEN jsonb_build_object('siteId', r.data -> 'siteId', 'prefix', '86', 'mobile', ${like('mobile')})
    ELSE jsonb_build_object('siteId', r.data -> 'siteId', 'userId', ${like('user_id')}) END`,
}

function otherValue(table: string, name: string, type: string): string | undefined {
  const known = others[`${table}.${name}`] ?? others[name]
  if (known || name === 'site_id') return known
  if (type === 'uuid') return like(name)
  return type === 'bytea' ? `'\\x' || ${like(name)}` : undefined
}

/** So many more rows in every table of the list, of other users of the same site. */
export async function fillWithOthers(t: TestApp, count: number): Promise<void> {
  for (const { table } of personalTables) {
    const changes = [...(await typesOf(t, table))].flatMap(([name, type]) => {
      const value = otherValue(table, name, type)
      return value ? [`'${name}', ${value}`] : []
    })
    await t.deps.pool.query(
      `INSERT INTO ${table} SELECT made.* FROM (SELECT * FROM ${table} LIMIT 1) r, generate_series(1, $1::int) n,
       jsonb_populate_record(NULL::${table}, to_jsonb(r) || jsonb_build_object(${changes})) made`,
      [count],
    )
    await t.deps.pool.query(`ANALYZE ${table}`)
  }
}

/** Created with the account; one more row would be another user's name. */
const there = ['user_identity', 'identity', 'credential']

/** A user with something in every column of every table of the list. */
export async function fillEverything(t: TestApp, site: TestSite): Promise<Filled> {
  const names = { mobile: fresh.mobile(), email: fresh.email() }
  const id = await createUser(t.deps, site.id, { ...names, username: fresh.username(), password }, 'test')
  const user = { ...names, id }
  const own = given(user, site)
  await t.deps.pool.query("UPDATE credential SET imported_form = 'bcrypt 10' WHERE site_id = $1 AND user_id = $2", [
    site.id,
    id,
  ])
  await t.deps.pool.query('DELETE FROM users WHERE site_id = $1 AND id = $2', [site.id, id])
  await t.deps.pool.query('DELETE FROM event WHERE site_id = $1 AND subject = $2', [site.id, id])
  for (const each of personalTables.filter(({ table }) => !there.includes(table)))
    await fillTable(t, each, { ...own[''], ...own[each.table] })
  return user
}
