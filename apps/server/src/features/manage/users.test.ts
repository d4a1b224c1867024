import { randomUUID } from 'node:crypto'
import type { InputOf } from '@hufu/contract/endpoint'
import { readManagedConfig } from '@hufu/contract/manage-site'
import {
  disableManagedUser,
  enableManagedUser,
  findManagedUser,
  listManagedAuthorizations,
  listManagedSessions,
  listManagedUsers,
  readManagedUser,
  revokeManagedSession,
  revokeManagedSessions,
} from '@hufu/contract/manage-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, signInAgain } from '../../../test/account-user.ts'
import { machine, machineClient, machineWith, type TestMachine } from '../../../test/machine.ts'
import { authorize, oidcClients, relyingParty, secretOf } from '../../../test/oidc.ts'
import { newOperator, recordsOf } from '../../../test/operator.ts'
import { sessionOf, startTestApp, type TestApp, type TestSite, testKeys, times } from '../../../test/test-app.ts'
import { createUser } from '../users/users.service.ts'

let t: TestApp
let other: TestApp
let site: TestSite
let crm: TestMachine
let erp: TestMachine
let user: Member

const clients = [
  ...oidcClients,
  machineClient('crm', 'users:read', 'users:contact', 'users:write', 'sessions:revoke', 'config:read'),
  machineClient('erp', 'users:read', 'users:write'),
]
beforeAll(async () => {
  const keys = { HUFU_KEYS: testKeys() }
  t = await startTestApp(keys)
  other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl, ...keys })
  site = await t.codeSite({ clients })
  await other.deps.sites.refresh()
  crm = await machine(t, site, 'crm')
  erp = await machine(t, site, 'erp')
})
afterAll(async () => {
  await t.close()
  await other.close()
})

type Filter = Omit<InputOf<typeof listManagedUsers>, 'cursor'>

/** Every page, one after the other; `between` runs after each. */
async function pages(by: TestMachine, filter: Filter, between = async () => {}) {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { data, code } = await by.call(listManagedUsers, { ...filter, ...(cursor && { cursor }) })
    if (!data) throw new Error(code)
    ids.push(...data.data.map(({ id }) => id))
    if (data.next === null) return ids
    cursor = data.next
    await between()
  }
}

test('D360 a list goes on by cursor: no user is missed or listed twice while others register', async () => {
  const at = await t.codeSite({ clients })
  const by = await machine(t, at, 'crm')
  const names = times(23, (index) => `walker${index}`)
  const before = []
  for (const username of names) before.push(await createUser(t.deps, at.id, { username }, 'test'))
  const seen = await pages(by, { top: 5 }, async () => {
    await createUser(t.deps, at.id, { username: `later${randomUUID().slice(0, 8)}` }, 'test')
  })
  expect(seen).toEqual(before.toReversed())
  expect(await pages(by, { top: 100 })).toHaveLength(27)
  expect(await pages(by, { top: 3, status: 'disabled' })).toEqual([])
})

test('D360 users are listed by state and by the time of their registration, masked without users:contact', async () => {
  const at = await t.codeSite({ clients })
  const [by, masked] = [await machine(t, at, 'crm'), await machine(t, at, 'erp')]
  const ids = []
  for (const mobile of ['13800138001', '13800138002', '13800138003'])
    ids.push(await createUser(t.deps, at.id, { mobile }, 'test'))
  const days = "UPDATE users SET listed_at = '2026-01-01Z'::timestamptz + make_interval(days => $2) WHERE id = $1"
  for (const [index, id] of ids.entries()) await t.deps.pool.query(days, [id, index])
  await by.call(disableManagedUser, { id: ids[1] as string })
  const day = (count: number) => Date.UTC(2026, 0, 1 + count)
  expect(await pages(by, { from: day(1), to: day(2) })).toEqual([ids[1]])
  expect(await pages(by, { status: 'disabled' })).toEqual([ids[1]])
  expect(await pages(by, { status: 'active', top: 1 })).toEqual([ids[2], ids[0]])
  const shown = async (each: TestMachine) =>
    (await each.call(listManagedUsers, { top: 1 })).data?.data.map(({ mobile }) => mobile)
  expect([await shown(by), await shown(masked)]).toEqual([['13800138003'], ['138****8003']])
})

test.each([['0'], ['101'], ['-1'], ['1.5'], ['1e1'], ['0x10'], [' 5'], ['']])(
  'D360 a page of "%s" rows is refused, and so is a number given twice',
  async (top) => {
    const bad = await crm.call(listManagedUsers, { top } as never)
    expect(bad).toMatchObject({ status: 400, code: 'INPUT_INVALID', details: { field: 'top' } })
    const url = `/api/manage/v1/users?top=5&top=6`
    const headers = { host: site.host, authorization: `Bearer ${crm.token}` }
    expect((await t.app.inject({ method: 'GET', url, headers })).statusCode).toBe(400)
  },
)

test('D361 a cursor is good for its list, filter, client and site alone, and can’t be made up', async () => {
  const at = await t.codeSite({ clients })
  const [own, second] = [await machine(t, at, 'crm'), await machine(t, at, 'erp')]
  for (const one of [at, site])
    for (const username of ['first1', 'second', 'third1'])
      await createUser(t.deps, one.id, { username }, 'test').catch(() => {})
  const cursor = (await own.call(listManagedUsers, { top: 1 })).data?.next ?? ''
  expect((await own.call(listManagedUsers, { top: 2, cursor })).status).toBe(200)
  const [text = '', mac = ''] = cursor.split('.')
  const elsewhere = Buffer.from(JSON.stringify(['2026-01-01', randomUUID()])).toString('base64url')
  const refused = [
    await own.call(listManagedUsers, { cursor, status: 'active' }),
    await own.call(listManagedUsers, { cursor: `${elsewhere}.${mac}` }),
    await own.call(listManagedUsers, { cursor: text }),
    await own.call(listManagedUsers, { cursor: `${cursor}A` }),
    await own.call(listManagedUsers, { cursor: '' }),
    await second.call(listManagedUsers, { cursor }),
    await crm.call(listManagedUsers, { cursor }),
    await own.call(listManagedSessions, { id: randomUUID(), cursor }),
  ]
  expect(refused.slice(0, -1).map(({ code, details }) => [code, details?.field])).toEqual(
    times(7, () => ['INPUT_INVALID', 'cursor']),
  )
  expect(refused.at(-1)?.code).toBe('USER_UNKNOWN')
})

test('D362 a user is found by number, e-mail or username in any spelling, with users:contact alone', async () => {
  user = await member(t, site)
  const { data } = await crm.call(readManagedUser, { id: user.id })
  for (const by of [
    { mobile: user.mobile },
    { mobile: `0086 ${user.mobile}`, mobilePrefix: '86' },
    { email: user.email.toUpperCase() },
    { username: user.username.toUpperCase() },
  ])
    expect(await crm.call(findManagedUser, by), JSON.stringify(by)).toMatchObject({ status: 200, data })
  for (const by of [{ username: user.email }, { email: user.username }, { mobile: '13800138999' }])
    expect((await crm.call(findManagedUser, by)).code).toBe('USER_UNKNOWN')
  for (const by of [{}, { mobile: user.mobile, email: user.email }])
    expect((await crm.call(findManagedUser, by)).code).toBe('INPUT_INVALID')
  expect((await erp.call(findManagedUser, { mobile: user.mobile })).code).toBe('SCOPE_MISSING')
})

test('D363 a machine disables and enables a user under its name; the sessions end on every process', async () => {
  const target = await member(t, site)
  expect((await target.call(userInfo)).status).toBe(200)
  const elsewhere = machineWith(other, site, crm.token)
  expect(await elsewhere.call(disableManagedUser, { id: target.id })).toMatchObject({
    status: 200,
    data: { id: target.id, status: 'disabled' },
  })
  await expect.poll(async () => (await target.call(userInfo)).status, { timeout: 1_000 }).toBe(401)
  expect((await crm.call(readManagedUser, { id: target.id })).data?.status).toBe('disabled')
  expect((await crm.call(enableManagedUser, { id: target.id })).data?.status).toBe('active')
  const recorded = (await recordsOf(t, site, 'client:crm')).filter((each) => each.target === target.id)
  expect(recorded.map(({ action }) => action)).toEqual(['user.disable', 'user.enable'])
})

test('D364 a machine ends one session of a user, or all; sessions of others aren’t there', async () => {
  const target = await member(t, site)
  const [second, bystander] = [await signInAgain(t, site, target), await member(t, site)]
  const listed = await crm.call(listManagedSessions, { id: target.id, top: 1 })
  expect(listed.data?.data.map(({ id }) => id)).toEqual([sessionOf(second)])
  const next = await crm.call(listManagedSessions, { id: target.id, top: 1, cursor: listed.data?.next ?? '' })
  expect(next.data).toMatchObject({ data: [{ id: sessionOf(target) }], next: null })
  const foreign = { id: target.id, session: sessionOf(bystander) }
  expect((await crm.call(revokeManagedSession, foreign)).code).toBe('NOT_FOUND')
  const own = { id: target.id, session: sessionOf(second) }
  expect(await crm.call(revokeManagedSession, own)).toMatchObject({ data: { ended: 1 } })
  expect([(await second.call(userInfo)).status, (await target.call(userInfo)).status]).toEqual([401, 200])
  expect((await crm.call(revokeManagedSession, own)).code).toBe('NOT_FOUND')
  expect(await crm.call(revokeManagedSessions, { id: target.id })).toMatchObject({ data: { ended: 1 } })
  expect([(await target.call(userInfo)).status, (await bystander.call(userInfo)).status]).toEqual([401, 200])
  expect((await erp.call(revokeManagedSessions, { id: target.id })).code).toBe('SCOPE_MISSING')
})

test.each([['READ'], ['WRITE'], ['ADMIN']] as const)(
  'D365 no machine acts on a user with the right %s',
  async (right) => {
    const operator = await newOperator(t, site, right === 'READ' ? ['READ'] : ['READ', right])
    const { id } = operator
    const session = sessionOf(operator)
    const answers = [
      await crm.call(disableManagedUser, { id }),
      await crm.call(enableManagedUser, { id }),
      await crm.call(revokeManagedSession, { id, session }),
      await crm.call(revokeManagedSessions, { id }),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 403, code: 'OPERATOR_REFUSED' })
    expect((await operator.call(userInfo)).status).toBe(200)
    expect((await crm.call(readManagedUser, { id })).data?.operator).toBe(true)
  },
)

test('D366 a change with the ETag of a former state is refused; of twenty with the same one the first alone passes', async () => {
  const target = await member(t, site)
  const read = async () => String((await crm.call(readManagedUser, { id: target.id })).headers.etag)
  const tag = await read()
  expect(await read()).toBe(tag)
  const disable = (ifMatch: string) => crm.call(disableManagedUser, { id: target.id }, { 'if-match': ifMatch })
  for (const stale of ['"other"', `W/${tag}`, ''])
    expect(await disable(stale), stale).toMatchObject({ status: 412, code: 'RESOURCE_CHANGED' })
  const answers = await Promise.all(times(20, () => disable(tag)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code === 'RESOURCE_CHANGED')).toHaveLength(19)
  expect((await crm.call(enableManagedUser, { id: target.id }, { 'if-match': `"x", ${await read()}` })).status).toBe(
    200,
  )
  expect((await disable('*')).status).toBe(200)
})

const keyed = (key: string) => ({ 'idempotency-key': key })
const disablings = async (id: string) =>
  (await recordsOf(t, site, 'client:crm')).filter(({ action, target }) => action === 'user.disable' && target === id)

test('D367 of twenty requests at once with one key, on two processes, one is executed, and every retry gets its answer', async () => {
  const target = await member(t, site)
  const key = randomUUID()
  const ask = (index: number) =>
    machineWith(index % 2 ? t : other, site, crm.token).call(revokeManagedSessions, { id: target.id }, keyed(key))
  const answers = await Promise.all(times(20, ask))
  for (const { status, code, data } of answers)
    expect(status === 200 ? data : code).toEqual(status === 200 ? { ended: 1 } : 'REQUEST_RUNNING')
  const again = await ask(1)
  expect(again).toMatchObject({ status: 200, data: { ended: 1 }, headers: { 'idempotency-replayed': 'true' } })
  const recorded = (await recordsOf(t, site, 'client:crm')).filter(
    (each) => each.action === 'user.signOut' && each.target === target.id,
  )
  expect(recorded).toHaveLength(1)
})

test('D367 a key with another request is refused, of another client it is another key, and a refusal frees it', async () => {
  const [target, second] = [await member(t, site), await member(t, site)]
  const key = randomUUID()
  expect((await crm.call(disableManagedUser, { id: randomUUID() }, keyed(key))).code).toBe('USER_UNKNOWN')
  expect((await crm.call(disableManagedUser, { id: target.id }, keyed(key))).status).toBe(200)
  const reused = await crm.call(disableManagedUser, { id: second.id }, keyed(key))
  expect(reused).toMatchObject({ status: 422, code: 'KEY_REUSED' })
  expect((await crm.call(enableManagedUser, { id: target.id }, keyed(key))).code).toBe('KEY_REUSED')
  const foreign = await erp.call(disableManagedUser, { id: second.id }, keyed(key))
  expect([foreign.status, foreign.headers['idempotency-replayed']]).toEqual([200, undefined])
  for (const bad of ['x'.repeat(256), ' '])
    expect((await crm.call(disableManagedUser, { id: target.id }, keyed(bad))).status).toBe(400)
})

test('D368 a request that died is followed after a minute; its own change can’t be committed any more', async () => {
  const target = await member(t, site)
  const key = randomUUID()
  const blocker = await t.deps.pool.connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [target.id])
  const slow = crm.call(disableManagedUser, { id: target.id }, keyed(key))
  const held = async () =>
    (await t.deps.pool.query('SELECT count(*)::int AS n FROM idempotent_answer WHERE answer IS NULL')).rows[0].n
  await expect.poll(held).toBe(1)
  expect((await crm.call(disableManagedUser, { id: target.id }, keyed(key))).code).toBe('REQUEST_RUNNING')
  await t.deps.pool.query("UPDATE idempotent_answer SET held_until = now() - interval '1 second' WHERE answer IS NULL")
  const follower = crm.call(disableManagedUser, { id: target.id }, keyed(key))
  const holders =
    'SELECT count(DISTINCT holder)::int AS n FROM idempotent_answer WHERE held_until > now() AND answer IS NULL'
  await expect.poll(async () => (await t.deps.pool.query(holders)).rows[0].n).toBe(1)
  await blocker.query('COMMIT')
  blocker.release()
  expect([(await slow).code, (await follower).status].toSorted()).toEqual([200, 'REQUEST_RUNNING'].toSorted())
  expect(await disablings(target.id)).toHaveLength(1)
})

test('D368 an answer is forgotten after 24 hours, exactly and without the clean-up, and holds no personal data', async () => {
  const target = await member(t, site)
  const key = randomUUID()
  await crm.call(disableManagedUser, { id: target.id }, keyed(key))
  const { rows } = await t.deps.pool.query(
    'SELECT answer::text AS text FROM idempotent_answer WHERE answer IS NOT NULL',
  )
  for (const { text } of rows)
    expect(text).toMatch(/^\{("(id|status)": "[\w-]+"(, )?|"(ended|seq|status)": \d+(, )?)+\}$/)
  await t.deps.pool.query("UPDATE idempotent_answer SET expires_at = now() - interval '1 ms'")
  expect((await crm.call(enableManagedUser, { id: target.id }, keyed(key))).status).toBe(200)
})

test('D369 what a user has signed in to is listed, and the config is shown without secrets', async () => {
  const target = await member(t, site)
  const shop = await relyingParty(t, site, 'shop')
  await authorize(shop, target, { scope: 'openid profile' })
  const { data } = await crm.call(listManagedAuthorizations, { id: target.id })
  expect(data?.data.every(({ client }) => client.id === 'shop')).toBe(true)
  expect((await crm.call(listManagedAuthorizations, { id: randomUUID() })).code).toBe('USER_UNKNOWN')
  const config = await crm.call(readManagedConfig, {})
  expect(config.data?.config.clients).toContainEqual(expect.objectContaining({ id: 'crm', secret: '********' }))
  expect(JSON.stringify(config.data)).not.toContain(secretOf('crm'))
  expect(JSON.stringify(config.data)).not.toContain('sealed:')
  expect((await erp.call(readManagedConfig, {})).code).toBe('SCOPE_MISSING')
})
