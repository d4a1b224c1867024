import { restoreConfig, updateConfig } from '@hufu/contract/merchant-config'
import { setUserRights } from '@hufu/contract/merchant-users'
import { queryOperatorLog } from '@hufu/contract/operators'
import type { SiteConfig } from '@hufu/contract/site'
import { merchantHome } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enrol } from '../../../test/enrolled.ts'
import { machineClient } from '../../../test/machine.ts'
import { secretOf } from '../../../test/oidc.ts'
import { factored, newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { addClient, rotateClient } from './clients.service.ts'
import { readConfig } from './site.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

type Clients = NonNullable<SiteConfig['clients']>

async function save(by: Pick<Operator, 'call'>, site: TestSite, clients: Clients) {
  const { version: basedOn, config } = await readConfig(t.deps, site.id)
  return await by.call(updateConfig, { config: { ...config, clients }, basedOn })
}

/** Two ADMINs, the second appointed by the first a moment ago. */
async function admins(clients: Clients = []) {
  const site = await t.codeSite({ clients })
  const [settled, fresh] = [await newOperator(t, site, ['READ', 'WRITE', 'ADMIN']), await newOperator(t, site, [])]
  await factored(t, settled)
  expect((await settled.call(setUserRights, { id: fresh.id, actions: ['ADMIN'] })).status).toBe(200)
  await enrol(t.deps, site.id, fresh.id)
  await factored(t, fresh)
  return { site, settled, fresh }
}

async function subjectsTo(email: string): Promise<string[]> {
  const query = "SELECT data->>'subject' AS subject FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1"
  return (await t.deps.pool.query(query, [email])).rows.map(({ subject }) => subject)
}
const notice = '应用获得了管理接口的权限'

const guarded = ['users:contact', 'users:write', 'sessions:revoke', 'feedback:write'] as const
const open = ['users:read', 'feedback:read', 'events:read', 'config:read'] as const

test.each(guarded)(
  'D356 a client with %s is made by a settled ADMIN alone, and every ADMIN is notified',
  async (scope) => {
    const { site, settled, fresh } = await admins()
    const refused = await save(fresh, site, [machineClient('erp', scope)])
    expect(refused).toMatchObject({ status: 403, code: 'OPERATOR_TOO_NEW', details: { until: expect.any(Number) } })
    expect(await save(settled, site, [machineClient('erp', scope)])).toMatchObject({ status: 200 })
    for (const { email } of [settled, fresh]) expect(await subjectsTo(email)).toContain(notice)
    expect(await recordsOf(t, site, settled.id)).toContainEqual(
      expect.objectContaining({ action: 'client.grant', target: 'erp', detail: { scopes: [scope], added: [scope] } }),
    )
    const home = await settled.call(merchantHome)
    expect(home.data?.attention).toContainEqual({ kind: 'machines', count: 1, time: expect.any(Number) })
  },
)

test('D356 scopes that read without contacts need no more than any other client', async () => {
  const { site, settled, fresh } = await admins()
  expect(await save(fresh, site, [machineClient('erp', ...open)])).toMatchObject({ status: 200 })
  expect(await subjectsTo(settled.email)).not.toContain(notice)
})

test('D356 without the proof of an export no client is made', async () => {
  const { site } = await admins()
  const admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'], { check: false })
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [admin.id])
  expect(await save(admin, site, [machineClient('erp', 'users:write')])).toMatchObject({ code: 'TWO_FACTOR_REQUIRED' })
})

const kept = { secret: '********' }
const key = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
const known = machineClient('erp', 'users:read', 'users:write')

const widenings: [string, Clients[number]][] = [
  ['one more scope', { ...machineClient('erp', 'users:read', 'users:write', 'users:contact'), ...kept }],
  ['another secret', { ...known, secret: 'another-secret-of-the-client' }],
  ['a second secret', { ...known, ...kept, previousSecret: 'another-secret-of-the-client' }],
  ['a key', { ...known, ...kept, publicKeys: [key] }],
  ['another id', { ...known, id: 'erp2', secret: secretOf('erp') }],
]

test.each(widenings)(
  'D357 %s for a client that can change users is a grant like a new client',
  async (_what, client) => {
    const { site, settled, fresh } = await admins([known])
    expect(await save(fresh, site, [client])).toMatchObject({ code: 'OPERATOR_TOO_NEW' })
    expect(await save(settled, site, [client])).toMatchObject({ status: 200 })
    expect((await subjectsTo(settled.email)).filter((subject) => subject === notice)).toHaveLength(1)
  },
)

test('D357 a narrower client, and one that stays as it is, are no grants', async () => {
  const { site, settled, fresh } = await admins([known])
  for (const client of [
    known,
    { ...known, name: '新名称' },
    machineClient('erp', 'users:write'),
    machineClient('erp', 'users:read'),
  ])
    expect(await save(fresh, site, [{ ...client, ...kept }])).toMatchObject({ status: 200 })
  expect(await save(fresh, site, [])).toMatchObject({ status: 200 })
  expect(await subjectsTo(settled.email)).not.toContain(notice)
})

test('D357 an earlier version that had the client is restored by a settled ADMIN alone', async () => {
  const { site, settled, fresh } = await admins([known])
  expect(await save(fresh, site, [])).toMatchObject({ status: 200 })
  const back = { version: 1, basedOn: 2 }
  expect(await fresh.call(restoreConfig, back)).toMatchObject({ code: 'OPERATOR_TOO_NEW' })
  expect(await settled.call(restoreConfig, back)).toMatchObject({ status: 200 })
})

test('D357 of twenty saves at once by a new ADMIN none makes the client', async () => {
  const { site, fresh } = await admins()
  const answers = await Promise.all(times(20, () => save(fresh, site, [machineClient('erp', 'users:contact')])))
  expect(answers.filter(({ status }) => status === 200)).toEqual([])
  expect((await readConfig(t.deps, site.id)).config.clients ?? []).toEqual([])
})

test('D358 the command line records who granted and notifies every ADMIN, also of a new secret', async () => {
  const { site, settled } = await admins()
  const added = { id: 'erp', name: 'ERP', kind: 'machine' as const, scopes: ['users:write' as const] }
  await addClient(t.deps, site.id, added, 'cli:lin.zhixia')
  await rotateClient(t.deps, site.id, 'erp', 'cli:lin.zhixia')
  const recorded = (await recordsOf(t, site, 'cli:lin.zhixia')).filter(({ action }) => action === 'client.grant')
  expect(recorded.map(({ target, detail }) => ({ target, detail }))).toEqual([
    { target: 'erp', detail: { scopes: ['users:write'], added: ['users:write'] } },
    { target: 'erp', detail: { scopes: ['users:write'], added: [] } },
  ])
  expect((await subjectsTo(settled.email)).filter((subject) => subject === notice)).toHaveLength(2)
})

test('D359 the operator log names the client that acted, with the sums of what it read', async () => {
  const { site, settled } = await admins([machineClient('erp', 'users:read')])
  const by = (operator: string) => [site.id, operator, 'GET /api/manage/v1/users/:id']
  const insert =
    "INSERT INTO machine_read (site_id, at, operator, call, count) VALUES ($1, date_trunc('hour', now()), $2, $3, 7)"
  for (const operator of ['client:erp', 'client:gone']) await t.deps.pool.query(insert, by(operator))
  const { data } = await settled.call(queryOperatorLog, { action: 'client.read' })
  expect(data?.count).toBe(2)
  expect(data?.data).toContainEqual(
    expect.objectContaining({
      client: { id: 'erp', name: '系统 erp' },
      operator: null,
      by: null,
      target: 'GET /api/manage/v1/users/:id',
      detail: { count: 7 },
    }),
  )
  expect(data?.data.map(({ client }) => client)).toContainEqual({ id: 'gone', name: null })
  const whole = await settled.call(queryOperatorLog, { top: 1 })
  expect(whole.data?.count).toBeGreaterThan(2)
})
