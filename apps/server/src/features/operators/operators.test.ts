import { randomUUID } from 'node:crypto'
import { sendFeedback, setFeedbackStatus } from '@hufu/contract/feedback'
import { loginByPassword } from '@hufu/contract/login'
import { shortId } from '@hufu/contract/merchant-rights'
import {
  exportUsers,
  readUser,
  releaseMobile,
  setUserRights,
  setUserStatus,
  signOutUser,
} from '@hufu/contract/merchant-users'
import { changeWechatMenu, merchantWechatToken } from '@hufu/contract/merchant-wechat'
import { type OperatorEntry, operatorActions, queryOperatorLog } from '@hufu/contract/operators'
import { changeNickname } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { newOperator, type Operator } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { newWechat } from '../../../test/wechat-phone.ts'
import { exposition } from '../../platform/metrics/metrics.ts'

let t: TestApp
let site: TestSite
let reader: Operator
let admin: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ wechat: await newWechat() })
  reader = await newOperator(t, site, ['READ'])
  admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
  await admin.call(changeNickname, { nickname: '店长' })
})
afterAll(() => t.close())

type Asked = Parameters<typeof reader.call<typeof queryOperatorLog>>[1]

async function log(asked: Asked = {}): Promise<{ count: number; more: boolean; data: OperatorEntry[] }> {
  const { data, code } = await reader.call(queryOperatorLog, asked)
  if (!data) throw new Error(`no log: ${code}`)
  return data
}

/** A line written straight into the log. */
const write = (line: {
  at?: string
  operator?: string
  action?: string
  target?: string
  detail?: object
  site?: string
}) =>
  t.deps.pool.query(
    'INSERT INTO operator_log (site_id, at, operator, action, target, detail) VALUES ($1, coalesce($2, now()), $3, $4, $5, $6)',
    [
      line.site ?? site.id,
      line.at ?? null,
      line.operator ?? 'cli',
      line.action ?? 'user.read',
      line.target ?? null,
      JSON.stringify(line.detail ?? {}),
    ],
  )

test('D127 operator actions and failures are counted by site and kind; the same user opened again within a minute counts once', async () => {
  const user = await member(t, site)
  for (const _ of times(3, () => 0)) await admin.call(readUser, { id: user.id })
  await t.browser(site).call(loginByPassword, { account: user.username, password: 'Wrong#2026x' })
  const text = await exposition([])
  const reads = Number(
    new RegExp(`hufu_operator_actions_total{site="${site.id}",action="user.read"} (\\d+)`).exec(text)?.[1],
  )
  const { rows } = await t.deps.pool.query(
    "SELECT count(*)::int AS n FROM operator_log WHERE site_id = $1 AND action = 'user.read'",
    [site.id],
  )
  // Lines that were written straight into the log don't count as actions.
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(rows[0].n)
  expect(text).toContain(`hufu_security_failures_total{site="${site.id}",event="login.failed"} 1\n`)
  expect(text).not.toContain(user.id)
})

test('D129 what was done on the command line carries the name of who did it', async () => {
  const target = randomUUID()
  await write({ operator: 'cli:lin.zhixia', action: 'user.grant', target })
  await write({ operator: 'cli', action: 'user.disable', target })
  const { data } = await log({ person: target })
  expect(data.map(({ operator, by }) => ({ operator, by }))).toEqual(
    expect.arrayContaining([
      { operator: null, by: 'lin.zhixia' },
      { operator: null, by: null },
    ]),
  )
})

test('everything that an operator does to a user is in the log, with names and what may be shown', async () => {
  const user = await member(t, site)
  const { id } = user
  await admin.call(readUser, { id })
  await admin.call(setUserRights, { id, actions: ['WRITE'] })
  await admin.call(setUserRights, { id, actions: [] })
  await admin.call(signOutUser, { id })
  await admin.call(releaseMobile, { id, reason: '号码已停用' })
  await admin.call(setUserStatus, { id, status: 'disabled' })
  await admin.call(setUserStatus, { id, status: 'active' })
  const { count, more, data } = await log({ person: id, operator: admin.id })
  expect([count, more]).toEqual([7, false])
  for (const entry of data) {
    expect(entry).toMatchObject({ operator: { id: admin.id, name: '店长' }, target: null })
    expect(entry.person).toEqual({ id, name: user.username })
  }
  const records = data.filter(({ action }) => action !== 'user.read').map(({ action, detail }) => [action, detail])
  expect(records).toEqual([
    ['user.enable', {}],
    ['user.disable', {}],
    ['user.releaseMobile', { reason: '号码已停用' }],
    ['user.signOut', { count: 1 }],
    ['user.rights', { before: ['READ', 'WRITE'], after: [] }],
    ['user.rights', { before: [], after: ['READ', 'WRITE'] }],
  ])
  const text = JSON.stringify(data)
  for (const secret of [user.mobile, user.email, admin.mobile]) expect(text).not.toContain(secret)
})

test('other actions have their target; what is not for showing stays out', async () => {
  const conversation = (await reader.call(sendFeedback, { message: '打不开' })).data?.id ?? ''
  await admin.call(setFeedbackStatus, { id: conversation, status: 1 })
  await admin.call(merchantWechatToken)
  const menu = { button: [{ type: 'view', name: '官网', url: 'https://www.example.com/secret-page' }] }
  await admin.call(changeWechatMenu, { data: menu })
  await admin.call(exportUsers, { search: admin.mobile })
  const { data } = await log({ operator: admin.id })
  const of = (action: string) => data.find((entry) => entry.action === action)
  expect(of('feedback.status')).toMatchObject({ target: conversation, person: null, detail: { status: 1 } })
  expect(of('wechat.token')).toMatchObject({ target: expect.stringMatching(/^wx/), detail: {} })
  expect(of('wechat.menu')?.detail).toEqual({})
  expect(of('user.export')).toMatchObject({ person: null, detail: { search: true } })
  expect(JSON.stringify(data)).not.toContain('secret-page')
  expect(JSON.stringify(data)).not.toContain(admin.mobile)
})

test('an unknown action is shown without its detail', async () => {
  const target = randomUUID()
  await write({ action: 'later.thing', target, detail: { secret: 1 } })
  expect((await log({ person: target })).data).toMatchObject([
    { action: 'later.thing', target, person: null, detail: {} },
  ])
})

test('who holds the server has no name, who is gone only an id, who calls themselves nothing the short one', async () => {
  const [ghost, nameless] = [randomUUID(), await t.signIn(site)]
  await write({ target: ghost })
  await write({ target: nameless.id })
  await write({ operator: ghost, target: nameless.id })
  expect((await log({ person: ghost })).data).toMatchObject([{ operator: null, person: { id: ghost, name: null } }])
  const { data } = await log({ person: nameless.id })
  expect(data.map(({ person }) => person?.name)).toEqual([shortId(nameless.id), shortId(nameless.id)])
  expect((await log({ operator: ghost })).data).toMatchObject([{ operator: { id: ghost, name: null } }])
})

test('filters: by operator and user, whole or short, by action and by time; newest first', async () => {
  const user = await newOperator(t, site, [])
  const target = user.id
  const hours = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString()
  for (const [ago, action] of [
    [5, 'user.read'],
    [4, 'user.disable'],
    [3, 'user.enable'],
    [2, 'user.read'],
  ] as const)
    await write({ at: hours(ago), action, target, operator: admin.id })
  const actions = async (asked: Asked) => (await log({ person: target, ...asked })).data.map(({ action }) => action)
  const all = ['user.read', 'user.enable', 'user.disable', 'user.read']
  expect(await actions({})).toEqual(['user.create', ...all])
  expect(await actions({ person: shortId(target), operator: shortId(admin.id) })).toEqual(all)
  expect(await actions({ operator: reader.id })).toEqual([])
  expect(await actions({ operator: '00000000' })).toEqual([])
  expect(await actions({ action: 'user.read' })).toEqual(['user.read', 'user.read'])
  const [from, to] = [Date.parse(hours(4)) - 60_000, Date.parse(hours(3)) + 60_000]
  expect(await actions({ from, to })).toEqual(['user.enable', 'user.disable'])
  expect(await actions({ from: 8.64e15 })).toEqual([])
  expect(await actions({ operator: admin.id, top: 2, skip: 1 })).toEqual(['user.enable', 'user.disable'])
  for (const wrong of [{ person: 'x' }, { action: 'user.eat' as never }, { from: -1 }, { operator: '138001' }])
    expect((await reader.call(queryOperatorLog, wrong)).code).toBe('INPUT_INVALID')
})

test('another site has a log of its own', async () => {
  const other = await t.site()
  await write({ site: other.id, operator: admin.id, target: reader.id, action: 'config.save' })
  expect((await log({ operator: admin.id, action: 'config.save' })).data).toEqual([])
})

test('the log is counted to 1,000 and shown no further', async () => {
  const operator = randomUUID()
  const fill = (count: number) =>
    t.deps.pool.query(
      `INSERT INTO operator_log (site_id, at, operator, action)
       SELECT $1, now() - make_interval(mins => n), $2, 'user.read' FROM generate_series(1, $3) n`,
      [site.id, operator, count],
    )
  await fill(1000)
  expect(await log({ operator })).toMatchObject({ count: 1000, more: false })
  await fill(1)
  const last = await log({ operator, top: 100, skip: 990 })
  expect(last).toMatchObject({ count: 1000, more: true })
  expect(last.data).toHaveLength(10)
  expect((await log({ operator, skip: 1_000_000_000 })).data).toEqual([])
})

test('the log is append-only: SQL that changes, deletes or empties it is refused, in every month', async () => {
  await write({ at: '2019-05-01T00:00:00Z' })
  await t.deps.pool.query('SELECT make_log_partitions(3)')
  await t.deps.pool.query('SELECT make_log_partitions(3)')
  const { rows } = await t.deps.pool.query(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'operator_log'::regclass",
  )
  expect(rows.length).toBeGreaterThanOrEqual(5)
  const month = rows
    .map(({ name }) => name as string)
    .find((name) => name.endsWith(new Date().toISOString().slice(5, 7)))
  for (const table of ['operator_log', 'operator_log_rest', month])
    for (const statement of [`UPDATE ${table} SET operator = 'unknown'`, `DELETE FROM ${table}`])
      await expect(t.deps.pool.query(statement), statement).rejects.toThrow('only ever added to')
  for (const table of ['operator_log', ...rows.map(({ name }) => name)])
    await expect(t.deps.pool.query(`TRUNCATE ${table}`), table).rejects.toThrow('only ever added to')
  expect((await log({ to: Date.parse('2019-06-01') })).data).toHaveLength(1)
})

test('every action on record is one that the contract names', async () => {
  const { rows } = await t.deps.pool.query("SELECT DISTINCT action FROM operator_log WHERE action <> 'later.thing'")
  const known: readonly string[] = operatorActions
  expect(rows.filter(({ action }) => !known.includes(action))).toEqual([])
  expect(rows.length).toBeGreaterThan(5)
})

test('a page of the log is found by an index, however it is filtered', async () => {
  const { pool } = t.deps
  await pool.query(
    `INSERT INTO operator_log (site_id, at, operator, action, target)
     SELECT $1, now() - make_interval(secs => n), 'op' || n % 50, CASE n % 5000 WHEN 0 THEN 'user.rights' ELSE 'user.read' END, 't' || n % 500
     FROM generate_series(1, 20000) n`,
    [site.id],
  )
  await pool.query('ANALYZE operator_log')
  for (const [column, value] of times(3, (n) => [
    ['operator', 'action', 'target'][n],
    ['op1', 'user.rights', 't1'][n],
  ])) {
    const plan = await pool.query(
      `EXPLAIN SELECT * FROM operator_log WHERE site_id = '${site.id}' AND ${column} = '${value}' ORDER BY at DESC, id LIMIT 1001`,
    )
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(text, column).toContain(`_${column}_at_id_idx`)
  }
})
