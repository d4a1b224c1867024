import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { confirmLogin, loginByMobile } from '@hufu/contract/login'
import { cancelUserRecovery, readUser, releaseMobile, setUserStatus } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import {
  cancelRecovery,
  finishRecovery,
  openRecovery,
  startRecovery,
  stopNoticedRecovery,
} from '@hufu/contract/recovery'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, member, newEmail, newMobile, password, stepUp } from '../../../test/account-user.ts'
import { eventsOf, newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { finish, pass, provedTicket, readyTicket, wantedNumber } from '../../../test/recovering.ts'
import {
  codeTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'

let t: TestApp
let site: TestSite
let admin: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  admin = await newOperator(t, site, ['READ', 'ADMIN'])
})
afterAll(() => t.close())

const events = async ({ id }: Member) =>
  (await eventsOf(t, site, id)).filter(({ event }) => /^recovery\.(?!open)/.test(event))

async function mails({ email }: Member): Promise<{ subject: string; text: string }[]> {
  const { rows } = await t.deps.pool.query(
    `SELECT data->>'subject' AS subject, data->>'text' AS text FROM pgboss.job
      WHERE name = 'mail-notice' AND data->>'to' = $1 ORDER BY created_on`,
    [email],
  )
  return rows
}

/** The token in the newest notice's link. */
const tokenTo = async (user: Member): Promise<string> =>
  (await mails(user)).map(({ text }) => /\/recover\/stop\/([\w-]{43})/.exec(text)?.[1]).findLast(Boolean) ?? ''

/** A user whose recovery waits, and the browser that began it. */
async function begun(): Promise<{ user: Member; browser: TestBrowser; ticket: string }> {
  const user = await member(t, site)
  const browser = t.browser(site)
  const { ticket } = await provedTicket(t, site, browser, user)
  expect((await browser.call(startRecovery, { ticket })).status).toBe(200)
  return { user, browser, ticket }
}

/** Nothing is left of it, and the browser's ticket is void. */
async function isOver(user: Member, browser: TestBrowser, ticket: string): Promise<void> {
  expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
  const { rows } = await t.deps.pool.query(
    'SELECT FROM recovery WHERE user_id = $1 UNION ALL SELECT FROM recovery_ticket WHERE user_id = $1',
    [user.id],
  )
  expect(rows).toHaveLength(0)
}

describe('the user', () => {
  test('ends it, waiting or ready: gone with its tickets, recorded, mailed; a second time there is none', async () => {
    for (const passed of ['1 hour', '73 hours']) {
      const { user, browser, ticket } = await begun()
      await pass(t, user.id, passed)
      expect((await user.call(userInfo)).data?.recovery).not.toBe(null)
      expect(await user.call(cancelRecovery)).toMatchObject({ status: 200, data: null })
      expect((await user.call(userInfo)).data?.recovery).toBe(null)
      expect(await user.call(cancelRecovery)).toMatchObject({ status: 409, code: 'RECOVERY_NONE' })
      await isOver(user, browser, ticket)
      expect((await events(user)).map(({ event }) => event)).toEqual(['recovery.start', 'recovery.cancel'])
      expect((await events(user)).at(-1)?.address).toBe('127.0.0.1')
      expect((await mails(user)).at(-1)?.subject).toBe('您的账号取消了更换手机号的申请')
    }
  })

  test('has none to end when there was none, when it has run out, or when it is of another user', async () => {
    const { user, browser, ticket } = await begun()
    expect((await (await member(t, site)).call(cancelRecovery)).code).toBe('RECOVERY_NONE')
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('waiting')
    await pass(t, user.id, '10 days')
    expect((await user.call(cancelRecovery)).code).toBe('RECOVERY_NONE')
    expect((await t.browser(site).call(cancelRecovery)).code).toBe('NOT_LOGGED_IN')
  })

  test('in a session that has ended ends nothing, also while a cache still believes in it', async () => {
    const { user, browser, ticket } = await begun()
    expect((await user.call(userInfo)).status).toBe(200)
    await t.deps.pool.query('UPDATE session SET ended_at = now() WHERE id = $1', [sessionOf(user)])
    expect(await user.call(cancelRecovery)).toMatchObject({ status: 401, code: 'SESSION_REMOVED' })
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('waiting')
  })

  test('of many at once ends it once', async () => {
    const { user } = await begun()
    const answers = await Promise.all(times(6, () => user.call(cancelRecovery)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await mails(user)).toHaveLength(2)
  })

  test('against the finish: one of them happens, never both', async () => {
    const outcomes = await Promise.all(
      times(6, async () => {
        const user = await member(t, site)
        const browser = t.browser(site)
        const wanted = await wantedNumber(browser, await readyTicket(t, site, browser, user))
        const [ended, cancelled] = await Promise.all([browser.call(finishRecovery, wanted), user.call(cancelRecovery)])
        expect([ended.status, cancelled.status].filter((status) => status === 200)).toHaveLength(1)
        const { rows } = await t.deps.pool.query('SELECT mobile FROM users WHERE id = $1', [user.id])
        expect(rows[0].mobile).toBe(ended.status === 200 ? wanted.mobile : user.mobile)
        return ended.status === 200
      }),
    )
    expect(outcomes).toHaveLength(6)
  })
})

describe("the mail's link", () => {
  test('ends it once, without a session; afterwards it is expired', async () => {
    const { user, browser, ticket } = await begun()
    const token = await tokenTo(user)
    const reader = t.browser(site)
    const answers = await Promise.all(times(5, () => reader.call(stopNoticedRecovery, { token })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410])
    expect(answers.find(({ status }) => status === 410)?.code).toBe('NOTICE_EXPIRED')
    expect(reader.cookies.has('__Host-hufu')).toBe(false)
    await isOver(user, browser, ticket)
    expect((await events(user)).map(({ event }) => event)).toEqual(['recovery.start', 'recovery.cancel'])
    expect((await mails(user)).map(({ subject }) => subject)).toEqual([
      '您的账号申请更换手机号',
      '您的账号取消了更换手机号的申请',
    ])
    expect((await user.call(userInfo)).status).toBe(200)
  })

  test('of another site, made up, or of a recovery that is over ends nothing', async () => {
    const { user, browser, ticket } = await begun()
    const token = await tokenTo(user)
    const elsewhere = await t.codeSite()
    expect((await t.call(elsewhere, stopNoticedRecovery, { token })).code).toBe('NOTICE_EXPIRED')
    expect((await t.call(site, stopNoticedRecovery, { token: 'A'.repeat(43) })).code).toBe('NOTICE_EXPIRED')
    await pass(t, user.id, '10 days')
    expect((await t.call(site, stopNoticedRecovery, { token })).code).toBe('NOTICE_EXPIRED')
    // A new one instead of the expired one: the former link does not affect it.
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('waiting')
    expect((await t.call(site, stopNoticedRecovery, { token })).code).toBe('NOTICE_EXPIRED')
    expect((await t.call(site, stopNoticedRecovery, { token: await tokenTo(user) })).status).toBe(200)
  })

  test('works until the last moment in which a number could be set', async () => {
    const { user } = await begun()
    const { rows } = await t.deps.pool.query(
      `SELECT abs(extract(epoch FROM l.expires_at - r.expires_at)) < 5 AS together
        FROM notice_link l JOIN recovery r ON r.id = l.subject WHERE r.user_id = $1`,
      [user.id],
    )
    expect(rows).toEqual([{ together: true }])
  })
})

describe('a change of the account', () => {
  const changes: Record<string, (user: Member) => Promise<{ status: number }>> = {
    password: (user) => user.call(changePassword, { password: 'Another#2026a' }),
    email: async (user) => user.call(changeEmail, await newEmail(user)),
    mobile: async (user) => user.call(changeMobile, await newMobile(user)),
  }
  for (const [name, change] of Object.entries(changes)) {
    test(`by the ${name} ends it and its tickets, on record`, async () => {
      const { user, browser, ticket } = await begun()
      await stepUp(t, site, user, user.mobile)
      expect((await change(user)).status).toBe(200)
      await isOver(user, browser, ticket)
      expect((await user.call(userInfo)).data?.recovery).toBe(null)
      expect((await events(user)).map(({ event }) => event)).toEqual(['recovery.start', 'recovery.cancel'])
    })
  }

  test('by the username leaves it, and so does a sign-in', async () => {
    const { user, browser, ticket } = await begun()
    await stepUp(t, site, user, user.mobile)
    expect((await user.call(changeUsername, { username: `n${user.username.slice(0, 10)}` })).status).toBe(200)
    await t.passMinute(site, `+86${user.mobile}`)
    expect((await t.signIn(site, { mobile: user.mobile })).id).toBe(user.id)
    expect((await browser.call(startRecovery, { ticket })).data?.stage).toBe('waiting')
  })

  test('of the password while the recovery is opened with the former one: no ticket is given for it', async () => {
    const { id, username } = await member(t, site)
    const change = await t.deps.pool.connect()
    await change.query('BEGIN')
    await change.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [id])
    const opening = t.browser(site).call(openRecovery, { account: username, password })
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await expect.poll(async () => (await t.deps.pool.query(waiting)).rows.length, { timeout: 10_000 }).toBe(1)
    await change.query("UPDATE credential SET secret = 'another' WHERE user_id = $1", [id])
    await change.query('COMMIT')
    change.release()
    expect((await opening).code).toBe('LOGIN_FAILED')
  })

  test('whose number moved on to its new holder goes on, and gives the account a number again', async () => {
    const { user, browser } = await begun()
    await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
    const holder = t.browser(site)
    const number = { mobilePrefix: '86', mobile: user.mobile }
    await holder.call(sendMobileCode, number)
    const asked = await holder.call(loginByMobile, { ...number, code: await codeTo(user.mobile) })
    const moved = await holder.call(confirmLogin, { ticket: asked.details.ticket, mine: false })
    expect(moved.data).toMatchObject({ created: true })
    await pass(t, user.id, '72 hours')
    const { ticket, standing } = await provedTicket(t, site, browser, user)
    expect(standing.stage).toBe('ready')
    expect((await finish(browser, ticket)).status).toBe(200)
    expect((await holder.call(userInfo)).data?.mobile).toBe(user.mobile)
  })
})

describe('an operator', () => {
  const cancel = (id: string, by: TestBrowser = admin) => by.call(cancelUserRecovery, { id, reason: ' 非本人申请 ' })

  test('sees it and ends it, on record on both sides without an address of their own; the user is mailed', async () => {
    const { user, browser, ticket } = await begun()
    const ready = (await user.call(userInfo)).data?.recovery
    expect((await admin.call(readUser, { id: user.id })).data).toMatchObject({ recovery: ready, closing: null })
    expect(await cancel(user.id)).toMatchObject({ status: 200, data: null })
    expect((await admin.call(readUser, { id: user.id })).data?.recovery).toBe(null)
    expect((await user.call(userInfo)).data?.recovery).toBe(null)
    await isOver(user, browser, ticket)
    const record = (await recordsOf(t, site, admin.id)).find(({ action }) => action === 'user.cancelRecovery')
    expect(record).toMatchObject({ target: user.id, detail: { reason: '非本人申请' } })
    expect((await events(user)).at(-1)).toEqual({ event: 'recovery.cancelled', address: null })
    expect((await mails(user)).at(-1)?.subject).toBe('您的账号由客服取消了更换手机号的申请')
    expect((await cancel(user.id)).code).toBe('RECOVERY_NONE')
  })

  test('needs ADMIN and a reason; a user of another site or an unknown one is not found', async () => {
    const { user } = await begun()
    expect((await cancel(user.id, await newOperator(t, site, ['READ', 'WRITE']))).code).toBe('FORBIDDEN')
    expect((await admin.call(cancelUserRecovery, { id: user.id, reason: ' ' })).code).toBe('INPUT_INVALID')
    const abroad = await member(t, await t.site())
    for (const id of [abroad.id, crypto.randomUUID()]) expect((await cancel(id)).code).toBe('NOT_FOUND')
    expect((await cancel(user.id)).status).toBe(200)
  })

  test('who takes the number off or disables the account ends it, too', async () => {
    const released = await begun()
    expect((await admin.call(releaseMobile, { id: released.user.id, reason: '号码停用' })).status).toBe(200)
    await isOver(released.user, released.browser, released.ticket)
    const disabled = await begun()
    const { id } = disabled.user
    expect((await admin.call(setUserStatus, { id, status: 'disabled' })).status).toBe(200)
    await isOver(disabled.user, disabled.browser, disabled.ticket)
    expect((await admin.call(setUserStatus, { id, status: 'active' })).status).toBe(200)
    await isOver(disabled.user, disabled.browser, disabled.ticket)
  })
})
