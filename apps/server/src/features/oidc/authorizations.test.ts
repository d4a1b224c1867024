import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { listAuthorizations, revokeAuthorization } from '@hufu/contract/oidc'
import { listOwnSecurity } from '@hufu/contract/security'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, signInAgain } from '../../../test/account-user.ts'
import { rowsOfGrant, signInToClient, takeLogouts } from '../../../test/oidc-rows.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { noteClient, touchClient } from '../../shared/oidc/authorized-clients.store.ts'

let t: TestApp
let site: TestSite
const secret = 'shop-secret-2026'
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({
    clients: [
      { id: 'old', name: '旧书店', secret, sources: ['https://old.example.com'] },
      {
        id: 'own',
        name: '青屿商城',
        kind: 'web',
        firstParty: true,
        secret,
        returns: ['https://own.example.com/cb'],
        scopes: [{ name: 'email' }, { name: 'profile' }],
      },
      {
        id: 'shop',
        name: '海风书店',
        kind: 'web',
        secret,
        returns: ['https://shop.example.com/cb'],
        scopes: [{ name: 'profile' }, { name: 'phone' }],
      },
    ],
  })
})
afterAll(() => t.close())

const consent = (user: Member, clientId: string, scopes: string[]) =>
  t.deps.pool.query(
    'INSERT INTO oidc_consent (site_id, user_id, client_id, scopes, version) VALUES ($1, $2, $3, $4, 1)',
    [site.id, user.id, clientId, scopes],
  )

const shown = async (user: Member) =>
  (await user.call(listAuthorizations)).data?.data.map(({ client, scopes }) => [client.id, scopes])

async function newTicket(user: Member): Promise<string> {
  const { data: id = '' } = await user.call(createAuthorization, { source: 'https://old.example.com/' })
  const { data: back = '' } = await user.call(bindAuthorization, { id })
  return new URL(back).searchParams.get('authorize') ?? ''
}

const exchange = (ticket: string) => t.call(site, exchangeTicket, { client: 'old', secret, ticket })

async function useTicket(user: Member): Promise<void> {
  expect((await exchange(await newTicket(user))).status).toBe(200)
}

const passHours = (user: Member, hours: number) =>
  t.deps.pool.query(
    `UPDATE authorized_client SET first_at = first_at - make_interval(hours => $2),
      last_at = last_at - make_interval(hours => $2) WHERE user_id = $1`,
    [user.id, hours],
  )

test('D226 the clients that a user has signed in to, with what each may learn, the last used first', async () => {
  const user = await member(t, site)
  expect((await user.call(listAuthorizations)).data).toEqual({ data: [] })
  await signInToClient(t, site, user, 'own')
  await passHours(user, 3)
  await signInToClient(t, site, user, 'shop')
  await consent(user, 'shop', ['profile'])
  await signInToClient(t, site, user, 'removed')
  await passHours(user, 2)
  await useTicket(user)
  expect(await shown(user)).toEqual([
    ['old', ['profile']],
    ['shop', ['profile']],
    ['own', ['profile', 'email']],
  ])
  const { data: [, shop] = [] } = (await user.call(listAuthorizations)).data ?? {}
  expect(shop?.client).toMatchObject({ name: '海风书店', host: 'shop.example.com', firstParty: false })
  expect(Math.abs(Date.now() - 2 * 3_600_000 - (shop?.lastUsed ?? 0))).toBeLessThan(60_000)
  expect(shop?.since).toBe(shop?.lastUsed)
  expect((await t.call(site, listAuthorizations)).code).toBe('NOT_LOGGED_IN')
})

test('D227 revoking ends the tokens and the consent of one client in every session and notifies it', async () => {
  const user = await member(t, site)
  const other = { ...(await signInAgain(t, site, user)), id: user.id }
  const [here, there] = [await signInToClient(t, site, user, 'shop'), await signInToClient(t, site, other, 'shop')]
  const kept = await signInToClient(t, site, user, 'own')
  await consent(user, 'shop', ['profile', 'phone'])
  for (const _ of times(2, () => 0))
    expect(await user.call(revokeAuthorization, { client: 'shop' })).toMatchObject({ status: 200, data: {} })
  expect([await rowsOfGrant(t, here), await rowsOfGrant(t, there), await rowsOfGrant(t, kept)]).toEqual([0, 0, 3])
  expect(await takeLogouts(t, user.id)).toEqual([here.sid, there.sid].sort())
  expect(await shown(user)).toEqual([['own', ['profile', 'email']]])
  const { rows } = await t.deps.pool.query('SELECT FROM oidc_consent WHERE user_id = $1', [user.id])
  expect(rows).toEqual([])
  const events = (await user.call(listOwnSecurity, {})).data?.data.filter(({ event }) => event === 'authorize.revoke')
  expect(events).toMatchObject([{ client: '海风书店' }])
  // The client still learns of an erasure.
  const row = 'SELECT revoked_at FROM authorized_client WHERE user_id = $1 AND client_id = $2'
  expect((await t.deps.pool.query(row, [user.id, 'shop'])).rows).toEqual([{ revoked_at: expect.any(Date) }])
})

test('D227 of ten revocations at once one is recorded, and a client that the config has lost can be revoked', async () => {
  const user = await member(t, site)
  const login = await signInToClient(t, site, user, 'removed')
  const answers = await Promise.all(times(10, () => user.call(revokeAuthorization, { client: 'removed' })))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await rowsOfGrant(t, login)).toBe(0)
  expect(await takeLogouts(t, user.id)).toEqual([login.sid])
  const { rows } = await t.deps.pool.query(
    "SELECT detail FROM security_log WHERE user_id = $1 AND event = 'authorize.revoke'",
    [user.id],
  )
  expect(rows).toEqual([{ detail: { client: 'removed' } }])
})

test('D227 a client that the user never signed in to is not found, though others have', async () => {
  const user = await member(t, site)
  const other = await member(t, site)
  const login = await signInToClient(t, site, other, 'shop')
  expect((await user.call(revokeAuthorization, { client: 'shop' })).code).toBe('NOT_FOUND')
  expect(await rowsOfGrant(t, login)).toBe(3)
})

test('D228 a new sign-in brings a revoked client back; a refresh that is under way does not', async () => {
  const user = await member(t, site)
  const userId = user.id as UserId
  await useTicket(user)
  await passHours(user, 48)
  await user.call(revokeAuthorization, { client: 'old' })
  await touchClient(t.deps.db, site.id, userId, 'old')
  expect(await shown(user)).toEqual([])
  await useTicket(user)
  const { data: [old] = [] } = (await user.call(listAuthorizations)).data ?? {}
  expect(Math.abs(Date.now() - (old?.since ?? 0))).toBeLessThan(60_000)
})

test('D228 the time of the last use is written once an hour at most', async () => {
  const user = await member(t, site)
  const userId = user.id as UserId
  const used = async () => (await user.call(listAuthorizations)).data?.data[0]?.lastUsed ?? 0
  await noteClient(t.deps.db, site.id, userId, 'own')
  for (const write of [noteClient, touchClient]) {
    const before = await used()
    await write(t.deps.db, site.id, userId, 'own')
    expect(await used()).toBe(before)
    await passHours(user, 2)
    await write(t.deps.db, site.id, userId, 'own')
    expect(Math.abs(Date.now() - (await used()))).toBeLessThan(60_000)
  }
})

test('D338 revoking a client of the legacy flow voids the tickets that it has not exchanged yet', async () => {
  const [user, other] = [await member(t, site), await member(t, site)]
  await useTicket(user)
  const [ticket, foreign] = [await newTicket(user), await newTicket(other)]
  await user.call(revokeAuthorization, { client: 'old' })
  const unknown = await exchange('x'.repeat(43))
  expect(await exchange(ticket)).toMatchObject({ status: unknown.status, code: unknown.code })
  expect(await shown(user)).toEqual([])
  expect((await exchange(foreign)).status).toBe(200)
})
