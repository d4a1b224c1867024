import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { openRecovery, proveRecovery, startRecovery, undoByRecovery } from '@hufu/contract/recovery'
import { applyUndo, readUndo, sendUndoCode } from '@hufu/contract/undo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, member, newEmail, newMobile, password, signInAgain, stepUp } from '../../../test/account-user.ts'
import { mailedCode } from '../../../test/recovering.ts'
import { codeTo, fresh, startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'
import { createUser } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const stolen = 'Dieb#2026pass'
const newPassword = 'Own#2027again'

/** Signed in by password with a step-up: the attacker who has taken the account over. */
async function taken(): Promise<Member> {
  const user = await member(t, site)
  await stepUp(t, site, user, user.mobile)
  return user
}

interface Queued {
  to: string
  text: string
}

/** The mails that were queued for an address, oldest first. */
async function mailsTo(address: string): Promise<Queued[]> {
  const { rows } = await t.deps.pool.query(
    "SELECT data FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1 ORDER BY created_on, id",
    [address],
  )
  return rows.map(({ data }) => data as Queued)
}

const textsTo = async (mobile: string) => {
  const { rows } = await t.deps.pool.query(
    "SELECT data->>'event' AS event FROM pgboss.job WHERE name = 'sms-notice' AND data->>'mobile' = $1 ORDER BY created_on",
    [mobile],
  )
  return rows.map(({ event }) => event as string)
}

const linkIn = (text = '') => /\/undo\/([\w-]{43})/.exec(text)?.[1]

async function linkTo(address: string): Promise<string> {
  const links = (await mailsTo(address)).flatMap(({ text }) => linkIn(text) ?? [])
  return links[0] ?? ''
}

const accountOf = async (id: string) => {
  const query = 'SELECT mobile, email, username FROM users WHERE id = $1'
  return (await t.deps.pool.query(query, [id])).rows[0]
}

async function firstOf(token: string): Promise<string> {
  const { data } = await t.browser(site).call(readUndo, { token })
  return data?.changes.at(-1)?.id ?? ''
}

describe('notices', () => {
  test('D085 every change is announced to the number and the address of before it; the mail carries a link, the SMS none', async () => {
    const user = await taken()
    await user.call(changePassword, { password: stolen })
    const [mail] = await mailsTo(user.email)
    expect(mail?.text).toContain(`${site.origin}/undo/`)
    expect(mail?.text).toContain('修改了登录密码')
    expect(await textsTo(user.mobile)).toEqual(['修改了登录密码，非本人请到登录页找回账号'])
  })

  test('D085 the link of a later change goes to the address of before all of them', async () => {
    const user = await taken()
    const wanted = await newEmail(user)
    await user.call(changeEmail, wanted)
    await user.call(changeUsername, { username: fresh.username() })
    const [first, second] = await mailsTo(user.email)
    expect([linkIn(first?.text), linkIn(second?.text)]).toEqual([expect.any(String), expect.any(String)])
    const [told] = await mailsTo(wanted.email)
    expect(told?.text).toContain('修改了用户名')
    expect(linkIn(told?.text)).toBeUndefined()
  })

  test('D085 without an address there is no link, and the number is texted', async () => {
    const user = await member(t, site, { email: undefined })
    await stepUp(t, site, user, user.mobile)
    await user.call(changeUsername, { username: fresh.username() })
    expect(await textsTo(user.mobile)).toEqual(['修改了用户名，非本人请到登录页找回账号'])
    expect(await t.deps.pool.query('SELECT link_hash FROM account_change WHERE user_id = $1', [user.id])).toMatchObject(
      {
        rows: [{ link_hash: null }],
      },
    )
  })
})

describe('undoing', () => {
  test('D086 everything since the change is as it was, sessions are over, and the new password alone signs in', async () => {
    const user = await taken()
    const other = await signInAgain(t, site, user)
    await user.call(changeUsername, { username: fresh.username() })
    await user.call(changeEmail, await newEmail(user))
    await user.call(changeMobile, await newMobile(user))
    await user.call(changePassword, { password: stolen })
    const known = async () =>
      (await t.deps.pool.query('SELECT FROM known_browser WHERE user_id = $1', [user.id])).rows.length
    expect(await known()).toBeGreaterThan(0)
    const token = await linkTo(user.email)
    const owner = t.browser(site)
    const answer = await owner.call(applyUndo, { token, from: await firstOf(token), password, newPassword })
    expect(answer.status, answer.code).toBe(200)
    expect(await known()).toBe(0)
    const { mobile, email, username } = user
    expect(await accountOf(user.id)).toEqual({ mobile, email, username })
    for (const browser of [user, other]) expect((await browser.call(userInfo)).status).toBe(401)
    for (const account of [mobile, email, username]) {
      const signedIn = await t.call(site, loginByPassword, { account, password: newPassword })
      expect(signedIn.data?.id).toBe(user.id)
    }
    expect((await t.call(site, loginByPassword, { account: username, password: stolen })).code).toBe('LOGIN_FAILED')
  })

  test('D086 the names that came since lead nowhere and are free', async () => {
    const user = await taken()
    const username = fresh.username()
    await user.call(changeUsername, { username })
    const token = await linkTo(user.email)
    await t.browser(site).call(applyUndo, { token, from: await firstOf(token), password, newPassword })
    expect((await t.call(site, loginByPassword, { account: username, password: newPassword })).code).toBe(
      'LOGIN_FAILED',
    )
    expect(await createUser(t.deps, site.id, { username }, 'test')).toEqual(expect.any(String))
  })

  test('D086 a former name that another account has by now stays there', async () => {
    const user = await taken()
    await user.call(changeUsername, { username: fresh.username() })
    await createUser(t.deps, site.id, { username: user.username }, 'test')
    const token = await linkTo(user.email)
    const answer = await t.browser(site).call(applyUndo, { token, from: await firstOf(token), password, newPassword })
    expect(answer.status).toBe(200)
    expect(await accountOf(user.id)).toEqual({ mobile: user.mobile, email: user.email, username: null })
  })

  test('D086 a later change can be undone by itself: what came before it stays', async () => {
    const user = await taken()
    const username = fresh.username()
    await user.call(changeUsername, { username })
    await user.call(changePassword, { password: stolen })
    const token = await linkTo(user.email)
    const { data } = await t.browser(site).call(readUndo, { token })
    const from = data?.changes[0]?.id ?? ''
    expect(data?.changes.map(({ kind, noticed }) => [kind, noticed])).toEqual([
      ['password', false],
      ['username', true],
    ])
    expect((await t.browser(site).call(applyUndo, { token, from, password, newPassword })).status).toBe(200)
    expect((await accountOf(user.id)).username).toBe(username)
  })

  test('D086 a code texted to the number of before the change is a proof, for this link alone', async () => {
    const user = await taken()
    await user.call(changeMobile, await newMobile(user))
    const token = await linkTo(user.email)
    const from = await firstOf(token)
    const browser = t.browser(site)
    await t.passMinute(site, `+86${user.mobile}`)
    expect((await browser.call(sendUndoCode, { token, from })).status).toBe(200)
    const code = await codeTo(user.mobile)
    const stranger = await taken()
    await stranger.call(changeUsername, { username: fresh.username() })
    const theirs = await linkTo(stranger.email)
    const foreign = await browser.call(applyUndo, { token: theirs, from: await firstOf(theirs), code, newPassword })
    expect(foreign.code).toBe('CODE_WRONG')
    expect((await browser.call(applyUndo, { token, from, code, newPassword })).status).toBe(200)
    expect((await accountOf(user.id)).mobile).toBe(user.mobile)
  })

  test('D086 a wrong proof, a weak password and a foreign change undo nothing; a link works once and for 72 hours', async () => {
    const user = await taken()
    await user.call(changePassword, { password: stolen })
    const token = await linkTo(user.email)
    const from = await firstOf(token)
    const apply = (own: object) => t.browser(site).call(applyUndo, { token, from, password, newPassword, ...own })
    expect((await apply({ password: stolen })).code).toBe('PASSWORD_WRONG')
    expect((await apply({ password: undefined })).code).toBe('INPUT_INVALID')
    expect((await apply({ newPassword: 'short' })).code).toBe('PASSWORD_LENGTH')
    const stranger = await taken()
    await stranger.call(changeUsername, { username: fresh.username() })
    const foreign = await firstOf(await linkTo(stranger.email))
    expect((await apply({ from: foreign })).code).toBe('NOTICE_EXPIRED')
    const later = "UPDATE account_change SET expires_at = expires_at - interval '72 hours' WHERE user_id = $1"
    const answers = await Promise.all([apply({}), apply({})])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410])
    await t.deps.pool.query(later, [stranger.id])
    const old = await linkTo(stranger.email)
    expect((await t.browser(site).call(readUndo, { token: old })).code).toBe('NOTICE_EXPIRED')
  })
})

describe('the former password', () => {
  test('D087 opens recovery for 72 hours and, with the mailed code, puts the account back at once', async () => {
    const user = await taken()
    await user.call(changePassword, { password: stolen })
    await user.call(changeEmail, await newEmail(user))
    const browser = t.browser(site)
    const opened = await browser.call(openRecovery, { account: user.username, password })
    expect(opened.status, opened.code).toBe(200)
    const ticket = opened.data?.ticket ?? ''
    // The code goes to the address of before the changes.
    const code = await mailedCode(t, site, browser, ticket, user.email)
    expect((await browser.call(undoByRecovery, { ticket, newPassword })).code).toBe('RECOVERY_EXPIRED')
    expect((await browser.call(proveRecovery, { ticket, code })).data).toEqual({
      stage: 'undo',
      purpose: null,
      protected: false,
      ready: null,
      expires: null,
    })
    expect((await browser.call(startRecovery, { ticket })).code).toBe('RECOVERY_EXPIRED')
    expect((await browser.call(undoByRecovery, { ticket, newPassword })).status).toBe(200)
    expect((await accountOf(user.id)).email).toBe(user.email)
    expect((await user.call(userInfo)).status).toBe(401)
    expect((await browser.call(undoByRecovery, { ticket, newPassword })).code).toBe('RECOVERY_EXPIRED')
  })

  test('D087 signs in to nothing, and after 72 hours opens nothing', async () => {
    const user = await taken()
    await user.call(changePassword, { password: stolen })
    const account = user.username
    expect((await t.call(site, loginByPassword, { account, password })).code).toBe('LOGIN_FAILED')
    await t.deps.pool.query(
      "UPDATE account_change SET expires_at = expires_at - interval '72 hours' WHERE user_id = $1",
      [user.id],
    )
    expect((await t.call(site, openRecovery, { account, password })).code).toBe('LOGIN_FAILED')
  })
})
