import { randomUUID } from 'node:crypto'
import { machineScopes } from '@hufu/contract/machine-scopes'
import {
  disableManagedUser,
  listManagedUsers,
  readManagedUser,
  revokeManagedSession,
  revokeManagedSessions,
} from '@hufu/contract/manage-users'
import type { SiteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { finishRotation, rotateClient } from '../../apps/server/src/features/site/clients.service.ts'
import { changeSite, readConfig, saveConfig } from '../../apps/server/src/features/site/site.service.ts'
import { machineClient } from '../../apps/server/test/machine.ts'
import { sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { codeConfig, few, type Harness, openHarness } from '../harness/harness.ts'
import { callAsMachine, callRaw, tokenOf } from '../harness/machines.ts'

let t: Harness
let site: TestSite
let other: TestSite
const clients = [machineClient('all', ...machineScopes), machineClient('second', ...machineScopes)]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients })
  other = await t.codeSite({ clients })
})
afterAll(() => t.close())

async function save(at: TestSite, changed: SiteConfig['clients']): Promise<void> {
  const { version: basedOn, config } = await readConfig(t.deps, at.id)
  await saveConfig(t.deps, at.id, { config: { ...config, clients: changed }, basedOn }, 'attack')
}

const all = machineClient('all', ...machineScopes)

const ends: [string, (at: TestSite, token: string) => Promise<unknown>][] = [
  ['the client is removed', (at) => save(at, [])],
  ['the client loses a scope', (at) => save(at, [machineClient('all', ...machineScopes.slice(1))])],
  ['the secret is replaced', (at) => save(at, [{ ...all, secret: 'another-secret-of-the-client' }])],
  [
    'the secret is rotated away',
    async (at) => {
      await rotateClient(t.deps, at.id, 'all', 'attack')
      await finishRotation(t.deps, at.id, 'all', 'attack')
    },
  ],
  ['the site is disabled', (at) => changeSite(t.deps, at.id, { status: 'disabled' }, 'attack')],
]

test('A57 from one second after the end of a client, secret, scope or site no process takes its token', async () => {
  const slowest: number[] = []
  for (const [what, end] of ends) {
    const [at] = await t.sites(1, () => codeConfig({ clients: [all] }))
    if (!at) throw new Error('no site')
    const token = await tokenOf(at, 'all')
    const ask = async (url: string) =>
      (await callAsMachine(at, token, readManagedUser, { id: randomUUID() }, { url })).code ?? ''
    for (const url of inject('apiUrls')) expect(await ask(url), what).toBe('USER_UNKNOWN')
    await end(at, token)
    const ended = performance.now()
    await Promise.all(
      inject('apiUrls').map(async (url) => {
        while ((await ask(url)) === 'USER_UNKNOWN')
          if (performance.now() - ended > 10_000) throw new Error(`${what}: still open`)
        slowest.push(performance.now() - ended)
        expect(['TOKEN_INVALID', 'SITE_DISABLED'], what).toContain(await ask(url))
      }),
    )
  }
  figure('time until no process takes the token', Math.max(...slowest), ['<=', 1_000], 'ms')
})

test('A57 an idempotency key opens no answer of another client or site, and of many at once one is executed', async () => {
  const executed: number[] = []
  const foreign: string[] = []
  for (let round = 0; round < few(10, 3); round++) {
    const { id } = await t.user(site)
    for (const _ of times(3, () => 0)) await t.session(site, id)
    const headers = { 'idempotency-key': randomUUID() }
    const token = await tokenOf(site, 'all')
    const answers = await Promise.all(
      times(20, () => callAsMachine(site, token, revokeManagedSessions, { id }, { headers })),
    )
    const fresh = answers.filter((reply) => reply.status === 200 && !reply.headers['idempotency-replayed'])
    executed.push(fresh.length)
    expect(fresh[0]?.data).toEqual({ ended: 3 })
    for (const [at, client] of [
      [site, 'second'],
      [other, 'all'],
    ] as const) {
      const reply = await callAsMachine(at, await tokenOf(at, client), revokeManagedSessions, { id }, { headers })
      if (reply.headers['idempotency-replayed']) foreign.push(client)
    }
  }
  figure('executions of one key, the most', Math.max(...executed), ['=', 1])
  figure('answers to keys of others', foreign.length, ['=', 0])
})

test('A57 a cursor that was forged, or is of another client, site or list, leads nowhere', async () => {
  for (const _ of times(3, () => 0)) for (const at of [site, other]) await t.user(at)
  const page = async (at: TestSite, client: string, input: object) =>
    await callAsMachine(at, await tokenOf(at, client), listManagedUsers, input)
  const cursor = (await page(site, 'all', { top: 1 })).data.next as string
  const [text = '', mac = ''] = cursor.split('.')
  const made = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const forged = [
    `${made(['2999-01-01', randomUUID()])}.${mac}`,
    `${made(["'; DROP TABLE users --", 'x'])}.${mac}`,
    `${text}.${Buffer.alloc(32).toString('base64url')}`,
    `${text}.`,
    `.${mac}`,
    text,
    `${cursor}.${cursor}x`.slice(0, 1_000),
    '%00',
    '__proto__',
  ]
  const answers = [
    ...(await Promise.all(forged.map((each) => page(site, 'all', { cursor: each })))),
    await page(site, 'second', { cursor }),
    await page(other, 'all', { cursor }),
    await page(site, 'all', { cursor, status: 'active' }),
  ]
  const passed = answers.filter(({ status }) => status !== 400)
  figure(`of ${answers.length} cursors that weren't given out that passed`, passed.length, ['=', 0])
  expect((await page(site, 'all', { cursor })).status).toBe(200)
})

test('A57 a machine with every scope shuts out no operator, and reaches nothing of another site', async () => {
  const token = await tokenOf(site, 'all')
  const operators = await Promise.all(
    (['merchantRead', 'merchantWrite', 'merchantAdmin'] as const).map((role) => callerOf(t, role, site)),
  )
  const stranger = await t.session(other, (await t.user(other)).id)
  const acts = (id: string, session: string) => [
    callAsMachine(site, token, disableManagedUser, { id }),
    callAsMachine(site, token, revokeManagedSession, { id, session }),
    callAsMachine(site, token, revokeManagedSessions, { id }),
  ]
  const codes = (await Promise.all(operators.flatMap((each) => acts(String(each.id), sessionOf(each))))).map(
    ({ code }) => code,
  )
  expect(new Set(codes)).toEqual(new Set(['OPERATOR_REFUSED']))
  const abroad = (await Promise.all(acts(stranger.id, sessionOf(stranger)))).map(({ code }) => code)
  const unknown = (await Promise.all(acts(randomUUID(), randomUUID()))).map(({ code }) => code)
  expect(abroad).toEqual(unknown)
  figure('operators that a machine acted on', codes.filter((code) => code !== 'OPERATOR_REFUSED').length, ['=', 0])
})

test('A57 no other route takes a machine’s token, and the management API takes no other method', async () => {
  const token = await tokenOf(site, 'all')
  expect((await callRaw(site, token, { path: '/oidc/userinfo', method: 'GET' })).status).toBe(401)
  const elsewhere = ['/api/user/info', '/api/merchant/user/query', '/api/merchant/config/read']
  for (const path of elsewhere)
    expect(
      (await callRaw(site, token, { path, method: 'POST', body: '{}', headers: { 'sec-fetch-site': 'same-origin' } }))
        .status,
    ).toBe(401)
  for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
    const reply = await callRaw(site, token, { path: '/api/manage/v1/users', method })
    expect([404, 405], method).toContain(reply.status)
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  }
})
