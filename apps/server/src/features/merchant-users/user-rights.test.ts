import { randomUUID } from 'node:crypto'
import type { MerchantRight } from '@hufu/contract/merchant-rights'
import { readUser, setUserRights, setUserStatus } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { enrol, makeOperator } from '../../../test/enrolled.ts'
import { checked, eventsOf, newOperator, recordsOf } from '../../../test/operator.ts'
import { held, lockedOut } from '../../../test/race.ts'
import { startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import { changeStatus, grant } from '../users/users.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const give = (by: TestBrowser, id: string, ...actions: MerchantRight[]) => by.call(setUserRights, { id, actions })

async function adminsOf(site: TestSite): Promise<number> {
  const { rows } = await t.deps.pool.query(
    `SELECT count(*)::int AS n FROM permission p JOIN users u ON u.site_id = p.site_id AND u.id = p.user_id
     WHERE p.site_id = $1 AND p.action = 'ADMIN' AND u.status = 'active'`,
    [site.id],
  )
  return rows[0].n
}

test('D011 rights are set to exactly what is given, READ with any other, at once, and are on record', async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const user = await member(t, site)
  expect((await user.call(readUser, { id: admin.id })).code).toBe('FORBIDDEN')
  expect(await give(admin, user.id, 'WRITE', 'WRITE')).toMatchObject({ status: 200, data: null })
  expect((await user.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['READ', 'WRITE'] })
  expect((await user.call(readUser, { id: admin.id })).code).toBe('FACTOR_ENROL_REQUIRED')
  await enrol(t.deps, site.id, user.id)
  expect((await user.call(readUser, { id: admin.id })).status).toBe(200)
  await give(admin, user.id, 'READ')
  expect((await user.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['READ'] })
  await give(admin, user.id)
  expect((await user.call(readUser, { id: admin.id })).code).toBe('FORBIDDEN')
  const records = (await recordsOf(t, site, admin.id)).filter(({ action }) => action === 'user.rights')
  expect(records.map(({ detail }) => detail)).toEqual([
    { before: [], after: ['READ', 'WRITE'] },
    { before: ['READ', 'WRITE'], after: ['READ'] },
    { before: ['READ'], after: [] },
  ])
  const own = (await eventsOf(t, site, user.id)).filter(({ event }) => event === 'account.rights')
  expect(own).toHaveLength(3)
})

test('rights outside the back-office stay as they are', async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const user = await newOperator(t, site, [])
  await grant(t.deps, site.id, user.id, 'SHOP', ['BUY'], 'test')
  await give(admin, user.id, 'ADMIN')
  expect((await user.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['ADMIN', 'READ'], SHOP: ['BUY'] })
})

test('only ADMIN after an identity check gives rights, to users of the own site', async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  const writer = await newOperator(t, site, ['READ', 'WRITE'])
  const unchecked = await newOperator(t, site, ['READ', 'ADMIN'], { check: false })
  expect((await give(writer, writer.id, 'ADMIN')).code).toBe('FORBIDDEN')
  expect((await give(unchecked, writer.id, 'ADMIN')).code).toBe('TWO_FACTOR_REQUIRED')
  const abroad = await member(t, await t.site())
  for (const id of [abroad.id, randomUUID()]) expect((await give(admin, id, 'READ')).code).toBe('NOT_FOUND')
  expect((await admin.call(setUserRights, { id: writer.id, actions: ['ROOT' as never] })).code).toBe('INPUT_INVALID')
  expect((await abroad.call(userInfo)).data?.permission).toEqual({})
  // A cached copy says that the step-up is still valid.
  expect((await admin.call(userInfo)).data?.twoFactor).toBe(true)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [admin.id])
  expect((await give(admin, writer.id, 'ADMIN')).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await writer.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['READ', 'WRITE'] })
})

test('the last ADMIN stays one; with another, own rights may be given up', async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])
  expect((await give(admin, admin.id, 'READ')).code).toBe('LAST_ADMIN')
  expect((await give(admin, admin.id)).code).toBe('LAST_ADMIN')
  expect((await admin.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['ADMIN', 'READ', 'WRITE'] })
  // A disabled ADMIN, or one without READ, doesn't count.
  const asleep = await newOperator(t, site, ['READ', 'ADMIN'])
  await changeStatus(t.deps, site.id, asleep.id, 'disabled', 'cli')
  const blind = await newOperator(t, site, [])
  await makeOperator(t.deps, site.id, blind.id, ['ADMIN'], 'cli')
  expect((await give(admin, admin.id, 'READ')).code).toBe('LAST_ADMIN')
  await give(admin, blind.id, 'ADMIN')
  expect((await give(admin, admin.id, 'READ')).status).toBe(200)
  expect((await give(admin, admin.id, 'ADMIN')).code).toBe('FORBIDDEN')
  const refused = (await recordsOf(t, site, admin.id)).filter(({ action }) => action === 'user.rights')
  expect(refused).toHaveLength(2)
})

const ways = {
  'take the right from each other': (by: TestBrowser, id: string) => give(by, id, 'READ'),
  'disable each other': (by: TestBrowser, id: string) => by.call(setUserStatus, { id, status: 'disabled' }),
}

test.each(Object.entries(ways))(
  'two ADMINs who %s at once leave one, 20 times',
  { timeout: 60_000 },
  async (_name, act) => {
    const site = await t.codeSite()
    const one = await newOperator(t, site, ['READ', 'ADMIN'])
    const two = await newOperator(t, site, ['READ', 'ADMIN'])
    for (const _round of times(20, () => 0)) {
      const answers = await Promise.all([act(one, two.id), act(two, one.id)])
      expect(answers.map(({ status }) => status).sort()).toContain(200)
      const [refused] = answers.filter(({ status }) => status !== 200)
      expect(['LAST_ADMIN', 'FORBIDDEN', 'SESSION_REMOVED']).toContain(refused?.code)
      expect(await adminsOf(site)).toBe(1)
      await revive(site, [one, two])
    }
  },
)

/** Both are ADMINs again, in the sessions they had. */
async function revive(site: TestSite, both: (TestBrowser & { id: string })[]): Promise<void> {
  const { pool } = t.deps
  for (const user of both) {
    await pool.query("UPDATE users SET status = 'active' WHERE id = $1", [user.id])
    await pool.query('UPDATE session SET ended_at = NULL WHERE user_id = $1', [user.id])
    await checked(t, user)
    await makeOperator(t.deps, site.id, user.id, ['READ', 'ADMIN'])
  }
}

test('who loses the right while waiting for the turn changes nothing any more', async () => {
  const site = await t.codeSite()
  const [one, two, three] = await Promise.all(times(3, () => newOperator(t, site, ['READ', 'ADMIN'])))
  if (!one || !two || !three) throw new Error('unknown')
  const answers: ReturnType<typeof give>[] = []
  await held(t, 'SELECT FROM site WHERE id = $1 FOR UPDATE', [site.id], async (holder) => {
    for (const [by, to] of [
      [one, two],
      [two, three],
    ] as const) {
      answers.push(give(by, to.id, 'READ'))
      await lockedOut(holder, answers.length)
    }
  })
  expect((await Promise.all(answers)).map(({ code }) => code)).toEqual([undefined, 'FORBIDDEN'])
  expect((await three.call(userInfo)).data?.permission).toEqual({ MERCHANT: ['ADMIN', 'READ'] })
  expect(await recordsOf(t, site, two.id)).toEqual([])
})

test('the command line can disable the last ADMIN: the administrator of the server appoints another', async () => {
  const site = await t.codeSite()
  const admin = await newOperator(t, site, ['READ', 'ADMIN'])
  await changeStatus(t.deps, site.id, admin.id, 'disabled', 'cli')
  expect((await admin.call(userInfo)).code).toBe('SESSION_REMOVED')
  await changeStatus(t.deps, site.id, admin.id, 'active', 'cli')
  expect((await admin.call(userInfo)).code).toBe('SESSION_REMOVED')
})
