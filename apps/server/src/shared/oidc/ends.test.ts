import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changePassword } from '@hufu/contract/account'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { loginByPassword, logout } from '@hufu/contract/login'
import { setUserStatus, signOutUser } from '@hufu/contract/merchant-users'
import { disownSignIn } from '@hufu/contract/security'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password, signInAgain } from '../../../test/account-user.ts'
import { type Login, rowsOfGrant, signInToClient, takeLogouts } from '../../../test/oidc-rows.ts'
import { checked, newOperator, second } from '../../../test/operator.ts'
import { lockedOut } from '../../../test/race.ts'
import { sessionOf, startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import { endSession } from '../sessions/sessions.store.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const sids = (...logins: Login[]) => logins.map(({ sid }) => sid).sort()

const loginsOf = async (userId: string) =>
  (await t.deps.pool.query('SELECT sid FROM oidc_login WHERE user_id = $1 ORDER BY sid', [userId])).rows.map(
    ({ sid }) => sid,
  )

/** A user in two browsers, each signed in to a client as usual and to one that may go on offline. */
async function userOfClients() {
  const user = await member(t, site)
  const other = { ...(await signInAgain(t, site, user)), id: user.id }
  return {
    user,
    other,
    own: await signInToClient(t, site, user, 'shop'),
    ownOffline: await signInToClient(t, site, user, 'mail', { offline: true }),
    others: await signInToClient(t, site, other, 'shop'),
    othersOffline: await signInToClient(t, site, other, 'mail', { offline: true }),
  }
}

test('D216 a sign-out ends the grants of its session but offline ones, and notifies each of its clients', async () => {
  const { user, own, ownOffline, others, othersOffline } = await userOfClients()
  await user.call(logout)
  expect(await rowsOfGrant(t, own)).toBe(0)
  for (const kept of [ownOffline, others, othersOffline]) expect(await rowsOfGrant(t, kept)).toBe(3)
  expect(await takeLogouts(t, user.id)).toEqual(sids(own, ownOffline))
  expect(await loginsOf(user.id)).toEqual(sids(others, othersOffline))
})

test('D217 a removed device ends all grants of its session, offline ones too', async () => {
  const { user, other, own, ownOffline, others, othersOffline } = await userOfClients()
  expect((await user.call(removeDevice, { id: sessionOf(other) })).status).toBe(200)
  for (const gone of [others, othersOffline]) expect(await rowsOfGrant(t, gone)).toBe(0)
  for (const kept of [own, ownOffline]) expect(await rowsOfGrant(t, kept)).toBe(3)
  expect(await takeLogouts(t, user.id)).toEqual(sids(others, othersOffline))
})

/** An offline grant whose session has signed out. */
async function leftBehind(user: Member): Promise<Login> {
  const third = { ...(await signInAgain(t, site, user)), id: user.id }
  const left = await signInToClient(t, site, third, 'backup', { offline: true })
  await third.call(logout)
  await takeLogouts(t, user.id)
  return left
}

test.each([
  ['removing all other devices', (user: Member) => user.call(removeOtherDevices)],
  [
    'a changed password',
    async (user: Member) => {
      await checked(t, user)
      await second(t, user)
      return await user.call(changePassword, { password: 'Qy#2026winter' })
    },
  ],
])('D218 %s ends all grants of the user but those of the session that stays', async (_, act) => {
  const { user, own, ownOffline, others, othersOffline } = await userOfClients()
  const left = await leftBehind(user)
  expect(await act(user)).toMatchObject({ status: 200 })
  for (const gone of [others, othersOffline, left]) expect(await rowsOfGrant(t, gone)).toBe(0)
  for (const kept of [own, ownOffline]) expect(await rowsOfGrant(t, kept)).toBe(3)
  expect(await takeLogouts(t, user.id)).toEqual(sids(others, othersOffline))
  expect(await loginsOf(user.id)).toEqual(sids(own, ownOffline))
})

test.each([
  ['a disabled account', setUserStatus, { status: 'disabled' }],
  ['a sign-out by support', signOutUser, {}],
])('D219 %s has no grant left', async (_, endpoint, input) => {
  const { user, ...logins } = await userOfClients()
  const { own, ownOffline, others, othersOffline } = logins
  const left = await leftBehind(user)
  const admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
  expect((await admin.call(endpoint, { id: user.id, ...input } as never)).status).toBe(200)
  for (const gone of [own, ownOffline, others, othersOffline, left]) expect(await rowsOfGrant(t, gone)).toBe(0)
  expect(await takeLogouts(t, user.id)).toEqual(sids(own, ownOffline, others, othersOffline))
})

test('D220 a disowned sign-in ends the grants of its browser, and offline ones of which no session is known', async () => {
  const { user, other, own, ownOffline, others, othersOffline } = await userOfClients()
  const left = await leftBehind(user)
  await other.call(loginByPassword, { account: user.username, password })
  const again = await signInToClient(t, site, other, 'shop')
  expect((await user.call(disownSignIn, { id: sessionOf(other) })).status).toBe(200)
  for (const gone of [others, othersOffline, again, left]) expect(await rowsOfGrant(t, gone)).toBe(0)
  for (const kept of [own, ownOffline]) expect(await rowsOfGrant(t, kept)).toBe(3)
  expect(await takeLogouts(t, user.id)).toEqual(sids(others, othersOffline, again))
})

test('D220 disowning a session that has signed out already ends what it left behind', async () => {
  const { user, other, own, othersOffline } = await userOfClients()
  const id = sessionOf(other)
  await other.call(logout)
  expect(await rowsOfGrant(t, othersOffline)).toBe(3)
  expect((await user.call(disownSignIn, { id })).status).toBe(200)
  expect([await rowsOfGrant(t, othersOffline), await rowsOfGrant(t, own)]).toEqual([0, 3])
})

test('D221 no other user loses a grant', async () => {
  const { user } = await userOfClients()
  const bystander = await member(t, site)
  const kept = await signInToClient(t, site, bystander, 'shop')
  await user.call(removeOtherDevices)
  await user.call(logout)
  expect(await rowsOfGrant(t, kept)).toBe(3)
  expect(await takeLogouts(t, bystander.id)).toEqual([])
})

test('D222 an authorization in progress is either ended with its session or refused', async () => {
  const user = await member(t, site)
  const session = sessionOf(user) as SessionId
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const client = await t.deps.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT FROM session WHERE id = $1 AND ended_at IS NULL FOR SHARE', [session])
    const ending = t.deps.db.transaction().execute((tx) => {
      resolve()
      return endSession(tx, site.id, user.id as UserId, session, 'removed')
    })
    await begun
    await lockedOut(t.deps.pool, 1)
    const login = await signInToClient({ deps: { ...t.deps, pool: client as never } }, site, user, 'shop')
    await client.query('COMMIT')
    expect(await ending).toBe(true)
    expect(await rowsOfGrant(t, login)).toBe(0)
    expect(await takeLogouts(t, user.id)).toEqual([login.sid])
  } finally {
    client.release()
  }
})

test('D223 a notification exists exactly when its session ended', async () => {
  const user = await member(t, site)
  const login = await signInToClient(t, site, user, 'shop')
  const failing = t.deps.db.transaction().execute(async (tx) => {
    await endSession(tx, site.id, user.id as UserId, sessionOf(user) as SessionId, 'removed')
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await takeLogouts(t, user.id)).toEqual([])
  expect(await rowsOfGrant(t, login)).toBe(3)
})

test('D224 a session without clients ends with one more statement besides its event, and no job', async () => {
  const user = await member(t, site)
  const statements: string[] = []
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: t.deps.pool }),
    log: ({ query }) => void statements.push(query.sql),
  })
  await endSession(db, site.id, user.id as UserId, sessionOf(user) as SessionId, 'logout')
  expect(statements).toHaveLength(3)
  expect(await takeLogouts(t, user.id)).toEqual([])
})

const source = join(import.meta.dirname, '../..')

test('D225 every statement that ends a session stands here: what it gave to clients ends with it', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const writes = files.flatMap((file) => {
    const text = readFileSync(join(source, file), 'utf8')
    const found = text.match(/\bended_at\s*=(?!=)/g) ?? []
    return found.map(() => file)
  })
  expect(writes.sort()).toEqual([
    // disown(), after which endDisownedLogins follows.
    'features/security/security.store.ts',
    'features/security/security.store.ts',
    // endSession(), and ending() of endOtherSessions() and endAllSessions().
    'shared/sessions/sessions.store.ts',
    'shared/sessions/sessions.store.ts',
  ])
})
