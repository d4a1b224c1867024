import * as openid from 'openid-client'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { authorize, oidcClients, relyingParty, secretOf } from '../../../test/oidc.ts'
import { startTestApp, type TestApp, type TestSite, testKeys } from '../../../test/test-app.ts'

const keys = { HUFU_KEYS: testKeys() }
let t: TestApp
let site: TestSite
let shop: openid.Configuration
beforeAll(async () => {
  t = await startTestApp(keys)
  site = await t.codeSite({ clients: oidcClients })
  shop = await relyingParty(t, site, 'shop')
})
afterAll(() => t.close())

async function refreshTokenOf(user: Awaited<ReturnType<typeof member>>): Promise<string> {
  const { to, checks } = await authorize(shop, user, { scope: 'openid' })
  return (await openid.authorizationCodeGrant(shop, to, checks)).refresh_token ?? ''
}

const refresh = async (token: string) => (await openid.refreshTokenGrant(shop, token)).refresh_token ?? ''

/** What the connections of the pool are asked while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const watched: (() => void)[] = []
  const watch = (client: PoolClient) => {
    const spy = vi.spyOn(client, 'query')
    watched.push(() => {
      for (const [statement] of spy.mock.calls as unknown as [string | { text: string }][])
        statements.push(typeof statement === 'string' ? statement : statement.text)
      spy.mockRestore()
    })
  }
  const collect = () => watched.pop()?.()
  t.deps.pool.on('acquire', watch).on('release', collect)
  await work().finally(() => t.deps.pool.off('acquire', watch).off('release', collect))
  return statements.map((text) => text.trim().split(/\s/)[0]?.toUpperCase() ?? '')
}

test('D335 a refresh takes six statements: two reads, and a transaction that spends and issues', async () => {
  // The first use in an hour is noted besides.
  const token = await refresh(await refreshTokenOf(await member(t, site)))
  const statements = await statementsOf(() => refresh(token))
  expect(statements).toEqual(['SELECT', 'SELECT', 'BEGIN', 'UPDATE', 'INSERT', 'COMMIT'])
})

test('D336 a refresh whose tokens cannot be stored spends nothing', async () => {
  const user = await member(t, site)
  const token = await refreshTokenOf(user)
  const rule = `CHECK (user_id <> '${user.id}' OR kind <> 'AccessToken')`
  await t.deps.pool.query(`ALTER TABLE oidc_item ADD CONSTRAINT refusal ${rule} NOT VALID`)
  const failed = openid.refreshTokenGrant(shop, token)
  await expect(failed).rejects.toMatchObject({ cause: { status: 500 } })
  await t.deps.pool.query('ALTER TABLE oidc_item DROP CONSTRAINT refusal')
  expect(await refresh(token)).not.toBe('')
})

test('D337 where no connection is free in time, a client is asked to come again', async () => {
  const token = await refreshTokenOf(await member(t, site))
  const { databaseUrl } = t.deps.config
  const small = await startTestApp({
    ...keys,
    HUFU_DATABASE_URL: databaseUrl,
    HUFU_DATABASE_POOL: '1',
    HUFU_LOAD_SHEDDING: '1',
  })
  try {
    await small.deps.sites.refresh()
    const authorization = `Basic ${Buffer.from(`shop:${secretOf('shop')}`).toString('base64')}`
    const headers = { host: site.host, authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const discovery = { url: '/.well-known/openid-configuration', headers: { host: site.host } }
    await vi.waitFor(async () => expect((await small.app.inject(discovery)).statusCode).toBe(200), 10_000)
    const held = await small.deps.pool.connect()
    const payload = `grant_type=refresh_token&refresh_token=${token}`
    const reply = await small.app.inject({ method: 'POST', url: '/oidc/token', headers, payload })
    held.release()
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '1'])
    expect(reply.json().error).toBe('temporarily_unavailable')
  } finally {
    await small.close()
  }
  expect(await refresh(token)).not.toBe('')
})
