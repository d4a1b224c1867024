import { setTimeout as pause } from 'node:timers/promises'
import { changeEmail, changePassword } from '@hufu/contract/account'
import type { EventType } from '@hufu/contract/event-rules'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { logout } from '@hufu/contract/login'
import { listManagedEvents } from '@hufu/contract/manage-events'
import { exportUsers, setUserRights, setUserStatus } from '@hufu/contract/merchant-users'
import { closeAccount } from '@hufu/contract/personal-data'
import { changeNickname } from '@hufu/contract/profile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, member, newEmail } from '../../../test/account-user.ts'
import { eraseAccounts, isErased, passClosing } from '../../../test/closing.ts'
import { machine, machineClient } from '../../../test/machine.ts'
import { checked, newOperator, second } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import { readConfig, saveConfig } from '../site/site.service.ts'
import { listEvents } from './events.service.ts'
import { numberEvents } from './events.store.ts'
import { dropOldEventsJob, numberAll } from './number-events.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const read = async (site: Pick<TestSite, 'id'>, wanted: Partial<Parameters<typeof listEvents>[2]> = {}) => {
  await numberAll(t.deps)
  return await listEvents(t.deps, { id: site.id as SiteId }, { limit: 1_000, ...wanted })
}

/** What other systems learn of a user or thing, in order: types and names of what changed. */
async function toldOf(site: TestSite, id: string, after?: number): Promise<[EventType, ...string[]][]> {
  const { events } = await read(site, { after })
  return events
    .filter(({ data }) => data.id === id || data.user === id)
    .map(({ type, data }): [EventType, ...string[]] => [type, ...data.changed])
}

const note = (site: TestSite, id: string, db = t.deps.db) =>
  recordEvent(db, site.id, { type: 'user.updated', subject: undefined, id, changed: ['nickname'] })

const admin = (site: TestSite) => newOperator(t, site, ['READ', 'WRITE', 'ADMIN'])

describe('events recorded', () => {
  test('D400 account changes are events, in their order', async () => {
    const site = await t.codeSite()
    const user = await member(t, site)
    expect((await toldOf(site, user.id)).map(([type]) => type)).toContain('user.created')
    const { next } = await read(site)
    await checked(t, user)
    await user.call(changeNickname, { nickname: '林知夏' })
    await second(t, user)
    expect((await user.call(changeEmail, await newEmail(user))).status).toBe(200)
    expect((await user.call(changePassword, { password: 'Qy#2027autumn' })).status).toBe(200)
    expect((await user.call(logout)).status).toBe(200)
    expect(await toldOf(site, user.id, next)).toEqual([
      ['user.updated', 'nickname'],
      ['identity.bound', 'email'],
      ['identity.unbound', 'email'],
      ['user.updated', 'password'],
      ['session.revoked'],
    ])
  })

  test('D400 so is what operators do, and who is affected', async () => {
    const site = await t.codeSite()
    const [operator, user] = [await admin(site), await member(t, site)]
    const { next } = await read(site)
    await second(t, operator)
    await operator.call(setUserRights, { id: user.id, actions: ['READ', 'WRITE'] })
    await operator.call(setUserRights, { id: user.id, actions: ['READ'] })
    await operator.call(setUserStatus, { id: user.id, status: 'disabled' })
    await operator.call(setUserStatus, { id: user.id, status: 'active' })
    expect(await toldOf(site, user.id, next)).toEqual([
      ['operator.granted', 'READ', 'WRITE'],
      ['operator.revoked', 'WRITE'],
      ['user.disabled'],
      ['session.revoked'],
      ['user.enabled'],
    ])
    const { data } = await operator.call(exportUsers, {})
    expect(await toldOf(site, data?.id ?? '', next)).toEqual([['export.made']])
    const { version, config } = await readConfig(t.deps, site.id)
    const changed = await saveConfig(
      t.deps,
      site.id,
      { config: { ...config, icp: '京ICP备1号' }, basedOn: version },
      'test',
    )
    expect(await toldOf(site, String(changed), next)).toEqual([['config.changed', 'icp']])
  })

  test('D400 conversations too', async () => {
    const site = await t.codeSite()
    const [operator, user] = [await admin(site), await member(t, site)]
    const { next } = await read(site)
    const { data } = await user.call(sendFeedback, { message: '你好' })
    await operator.call(replyFeedback, { id: data?.id ?? '', message: '您好' })
    expect(await toldOf(site, data?.id ?? '', next)).toEqual([['feedback.created'], ['feedback.replied', 'merchant']])
  })

  test('D401 a sign-in adds no event, and no event holds personal data', async () => {
    const site = await t.codeSite()
    const user = await member(t, site)
    const { next } = await read(site)
    await t.signIn(site, { mobile: user.mobile })
    expect((await read(site, { after: next })).events).toEqual([])
    const stored = JSON.stringify((await read(site)).events)
    for (const value of [user.mobile, user.email, user.username]) expect(stored).not.toContain(value)
  })

  test('D402 a change that is rolled back has no event', async () => {
    const site = await t.codeSite()
    const failing = t.deps.db.transaction().execute(async (tx) => {
      await note(site, 'x', tx)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect((await read(site)).events.filter(({ data }) => data.id === 'x')).toEqual([])
  })
})

describe('positions', () => {
  /** Eight writers whose transactions commit in another order than they began, and a reader beside them. */
  async function missed(site: TestSite, readNext: () => Promise<string[]>): Promise<number> {
    const each = 40
    let writing = true
    const found = new Set<string>()
    const reader = (async () => {
      for (let last = false; !last; ) {
        last = !writing
        for (const id of await readNext()) found.add(id)
        await pause(1)
      }
    })()
    await Promise.all(
      times(8, async (writer) => {
        for (let at = 0; at < each; at++)
          await t.deps.db.transaction().execute(async (tx) => {
            await note(site, `${writer}/${at}`, tx)
            await pause((writer * 7 + at * 5) % 12)
          })
      }),
    )
    writing = false
    await reader
    return 8 * each - found.size
  }

  test('D403 a cursor beside eight writers misses no event, and the positions have no gap', async () => {
    const site = await t.codeSite()
    let after = (await read(site)).next
    const first = after
    const lost = await missed(site, async () => {
      const found: string[] = []
      for (let more = true; more; ) {
        const page = await read(site, { after, limit: 50 })
        found.push(...page.events.map(({ data }) => data.id))
        more = page.more
        after = page.next
      }
      return found
    })
    expect(lost).toBe(0)
    const { events } = await read(site, { after: first })
    expect(events.map(({ position }) => position)).toEqual(times(320, (index) => first + 1 + index))
  })

  test('D403 the same reader on a sequence given at the insert misses some: the test can fail', async () => {
    const site = await t.codeSite()
    await t.deps.pool.query('ALTER TABLE event ADD COLUMN IF NOT EXISTS seq bigserial')
    let after = 0
    const lost = await missed(site, async () => {
      const { rows } = await t.deps.pool.query<{ seq: string; id: string }>(
        "SELECT seq, data->>'id' AS id FROM event WHERE site_id = $1 AND seq > $2 ORDER BY seq",
        [site.id, after],
      )
      after = Math.max(after, ...rows.map(({ seq }) => Number(seq)))
      return rows.map(({ id }) => id).filter((id) => id.includes('/'))
    })
    await t.deps.pool.query('ALTER TABLE event DROP COLUMN seq')
    expect(lost).toBeGreaterThan(0)
  })

  test('D404 many workers number at once: each event has one position, in the order of its user', async () => {
    const site = await t.codeSite()
    const { next } = await read(site)
    for (const at of times(300, String)) await note(site, at)
    await Promise.all(times(8, () => t.deps.db.transaction().execute((tx) => numberEvents(tx, site.id))))
    const { events } = await read(site, { after: next })
    expect(events.map(({ data }) => data.id)).toEqual(times(300, String))
    expect(events.map(({ position }) => position)).toEqual(times(300, (index) => next + 1 + index))
  })
})

describe('a cursor', () => {
  const age = (site: TestSite, days: number) =>
    t.deps.pool.query("UPDATE event SET at = at - $2 * interval '1 day' WHERE site_id = $1", [site.id, days])

  test('D405 pages by type, and goes on behind what it does not want', async () => {
    const site = await t.codeSite()
    const { next } = await read(site)
    for (const at of times(5, String)) await note(site, at)
    const page = await read(site, { after: next, limit: 2 })
    expect(page).toMatchObject({ next: next + 2, more: true })
    expect(page.events.map(({ data }) => data.id)).toEqual(['0', '1'])
    const rest = await read(site, { after: page.next, limit: 3, types: ['user.deleted'] })
    expect(rest).toEqual({ events: [], next: next + 5, more: false })
  })

  test('D406 events are kept for 30 days; a cursor from before is an error and not an empty page', async () => {
    const site = await t.codeSite()
    for (const at of times(3, String)) await note(site, at)
    const { next } = await read(site)
    await age(site, 29)
    await dropOldEventsJob(t.deps).run(null)
    expect((await read(site, { after: 0 })).next).toBe(next)
    await age(site, 2)
    await dropOldEventsJob(t.deps).run(null)
    await note(site, 'new')
    await expect(read(site, { after: next - 1 })).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' })
    await expect(read(site, { after: 0 })).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' })
    // One who has read all of them has missed nothing, and one without a cursor begins with what is there.
    for (const after of [next, undefined])
      expect((await read(site, { after })).events).toMatchObject([{ position: next + 1, data: { id: 'new' } }])
  })

  test('D406 a cursor that was never given, as after the restore of a backup, is an error', async () => {
    const site = await t.codeSite()
    const { next } = await read(site)
    await expect(read(site, { after: next + 1 })).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' })
  })

  test('D407 a site has its own positions and reads no event of another', async () => {
    const [one, other] = [await t.codeSite(), await t.codeSite()]
    await note(one, 'one')
    await note(other, 'other')
    const ids = (await read(one)).events.map(({ data }) => data.id)
    expect(ids).toContain('one')
    expect(ids).not.toContain('other')
    expect((await read(other)).events[0]?.position).toBe(1)
  })
})

test('D408 an erasure removes the events of the user, and says so by an event that outlives it', async () => {
  const site = await t.codeSite()
  const user: Member = await member(t, site)
  await checked(t, user)
  await second(t, user)
  expect((await user.call(closeAccount)).status).toBe(200)
  const { next } = await read(site)
  await note(site, 'unnumbered')
  await recordEvent(t.deps.db, site.id, { type: 'user.updated', subject: user.id as UserId, id: user.id })
  await passClosing(t, user.id, '7 days 2 minutes')
  await eraseAccounts(t)
  expect(await isErased(t, site, user.id)).toBe(true)
  expect(await toldOf(site, user.id)).toEqual([['user.deleted']])
  expect((await read(site, { after: next })).events.map(({ type }) => type)).toEqual(['user.updated', 'user.deleted'])
})

test('D409 a machine with events:read reads the events of its site page by page; others are refused', async () => {
  const site = await t.codeSite({ clients: [machineClient('erp', 'events:read'), machineClient('crm', 'users:read')] })
  const [erp, crm] = [await machine(t, site, 'erp'), await machine(t, site, 'crm')]
  const { next } = await read(site)
  for (const at of times(3, String)) await note(site, at)
  await numberAll(t.deps)
  const page = await erp.call(listManagedEvents, { after: next, limit: 2, types: 'user.updated,user.deleted' })
  expect(page).toMatchObject({ status: 200, data: { next: next + 2, more: true } })
  expect(page.data?.data.map(({ position, data }) => [position, data.id])).toEqual([
    [next + 1, '0'],
    [next + 2, '1'],
  ])
  expect((await erp.call(listManagedEvents, { after: next + 4 })).code).toBe('EVENTS_EXPIRED')
  expect((await erp.call(listManagedEvents, { after: next + 4 })).status).toBe(410)
  for (const wrong of [{ types: 'user.unheard' }, { after: -1 }, { after: 'x' }, { limit: 1_001 }] as object[])
    expect((await erp.call(listManagedEvents, wrong)).code).toBe('INPUT_INVALID')
  expect((await crm.call(listManagedEvents, {})).status).toBe(403)
})
