import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { closeAccount, keepAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import type { SiteConfig } from '@hufu/contract/site'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createFaults } from '../../../../../tools/simulators/faults.ts'
import { createInboxStore } from '../../../../../tools/simulators/inbox-store.ts'
import { type Smtp, startSmtp } from '../../../../../tools/simulators/smtp.ts'
import { type Member, member, password } from '../../../test/account-user.ts'
import { eraseAccounts, isErased, passClosing } from '../../../test/closing.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { checked, newOperator } from '../../../test/operator.ts'
import { startTestApp, type TestApp, type TestSite, testKeys, times } from '../../../test/test-app.ts'

const inbox = createInboxStore()
const faults = createFaults()
const keys = { HUFU_KEYS: testKeys() }
let smtp: Smtp
let t: TestApp
let site: TestSite
beforeAll(async () => {
  smtp = await startSmtp({ receive: inbox.receive, faults })
  t = await startTestApp(keys)
  site = await newSite()
})
afterEach(() => faults.set({ mode: 'ok' }))
afterAll(async () => {
  await t.close()
  await smtp.stop()
})

/** A site whose mail server can be set to fail. */
const newSite = (own: SiteConfig = {}) =>
  t.codeSite({ mail: { host: '127.0.0.1', port: smtp.port, from: 'no-reply@qingyu.example' }, ...own })

/** The same product with the timeouts of production: it does not wait for a lock for long. */
async function withTimeouts(): Promise<TestApp> {
  const { databaseUrl } = t.deps.config
  const own = await startTestApp({ ...keys, HUFU_DATABASE_URL: databaseUrl, HUFU_LOAD_SHEDDING: '1' })
  onTestFinished(own.close)
  return own
}

/** A user who has closed their account, so long ago. */
async function closed(interval = '7 days 1 minute', at = site): Promise<Member> {
  const user = await member(t, at)
  await checked(t, user)
  const { code } = await user.call(closeAccount)
  if (code) throw new Error(`not closed: ${code}`)
  await passClosing(t, user.id, interval)
  return user
}

/** Lets the claims of workers expire. */
const passHold = () => t.deps.pool.query("UPDATE deletion SET held_until = held_until - interval '2 minutes'")

const mailsTo = ({ email }: Member) => inbox.list(email).filter(({ subject }) => subject === '您的账号已注销')

test('an account is erased after its seven days and not before, and the user is notified last', async () => {
  const early = await closed('6 days 23 hours 59 minutes 50 seconds')
  const now = await closed('7 days')
  const due = await closed()
  await eraseAccounts(t)
  expect(await isErased(t, site, early.id)).toBe(false)
  // Writes of the last moment are done in a minute.
  expect(await isErased(t, site, now.id)).toBe(false)
  expect(await isErased(t, site, due.id)).toBe(true)
  expect(mailsTo(due)).toHaveLength(1)
  expect([...mailsTo(early), ...mailsTo(now)]).toEqual([])
  expect((await due.call(userInfo)).status).toBe(401)
  expect((await early.call(keepAccount)).status).toBe(200)
})

test('an account that was kept is never erased', async () => {
  const user = await closed('1 day')
  await user.call(keepAccount)
  await passClosing(t, user.id, '30 days')
  await eraseAccounts(t)
  expect(await isErased(t, site, user.id)).toBe(false)
})

test('the names of an erased account are free: the number begins a new one, the password opens none', async () => {
  const user = await closed()
  await eraseAccounts(t)
  expect((await t.call(site, loginByPassword, { account: user.username, password })).code).toBe('LOGIN_FAILED')
  const again = await t.signIn(site, { mobile: user.mobile })
  expect(again.id).not.toBe(user.id)
})

test('two workers at once erase each account once and send each user one mail', async () => {
  const users = await Promise.all(times(12, () => closed()))
  await Promise.all(times(4, () => eraseAccounts(t)))
  for (const user of users) {
    expect(await isErased(t, site, user.id)).toBe(true)
    expect(mailsTo(user)).toHaveLength(1)
  }
})

test('a mail that is refused for good holds nothing up', async () => {
  const user = await closed()
  faults.set({ mode: 'refuse', code: '550' })
  await eraseAccounts(t)
  expect(await isErased(t, site, user.id)).toBe(true)
  expect(mailsTo(user)).toEqual([])
})

test('a mail that failed for now is tried again for an hour, under the same id', async () => {
  const [one, two] = [await closed(), await closed()]
  faults.set({ mode: 'fail', deliver: true })
  await eraseAccounts(t)
  expect(await isErased(t, site, one.id)).toBe(false)
  faults.set({ mode: 'ok' })
  await passHold()
  await eraseAccounts(t)
  expect(await isErased(t, site, one.id)).toBe(true)
  const ids = mailsTo(one).map(({ messageId }) => messageId)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(await isErased(t, site, two.id)).toBe(true)
  const late = await closed('7 days 61 minutes')
  faults.set({ mode: 'fail' })
  await eraseAccounts(t)
  expect(await isErased(t, site, late.id)).toBe(true)
})

test('a site without mail erases all the same', async () => {
  const at = await t.codeSite({ mail: undefined })
  const user = await closed('7 days 1 minute', at)
  await eraseAccounts(t)
  expect(await isErased(t, at, user.id)).toBe(true)
})

test('an account that cannot be erased now holds up none of the others and is notified once', async () => {
  const [stuck, free] = [await closed('7 days 2 minutes'), await closed()]
  const holder = await t.deps.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [stuck.id])
  await eraseAccounts(await withTimeouts())
  expect(await isErased(t, site, free.id)).toBe(true)
  expect(await isErased(t, site, stuck.id)).toBe(false)
  await holder.query('ROLLBACK')
  holder.release()
  await passHold()
  await eraseAccounts(t)
  expect(await isErased(t, site, stuck.id)).toBe(true)
  expect(mailsTo(stuck)).toHaveLength(1)
})

test('a user who became the last ADMIN waits, without a notice, until another is appointed', async () => {
  const at = await newSite()
  const [leaving, other] = [await newOperator(t, at, ['READ', 'ADMIN']), await newOperator(t, at, ['READ', 'ADMIN'])]
  await leaving.call(closeAccount)
  await passClosing(t, leaving.id, '7 days 1 minute')
  await t.deps.pool.query("UPDATE users SET status = 'disabled' WHERE id = $1", [other.id])
  await eraseAccounts(t)
  expect(await isErased(t, at, leaving.id)).toBe(false)
  expect(mailsTo(leaving)).toEqual([])
  expect(t.log.some((line) => line.includes('appoint another ADMIN'))).toBe(true)
  const next = await member(t, at)
  await makeOperator(t.deps, at.id, next.id, ['READ', 'ADMIN'], 'cli')
  await passHold()
  await eraseAccounts(t)
  expect(await isErased(t, at, leaving.id)).toBe(true)
})

test('an account that an operator disabled stays, untold, until it is enabled', async () => {
  const user = await closed()
  const setStatus = (status: string) =>
    t.deps.pool.query('UPDATE users SET status = $2 WHERE id = $1', [user.id, status])
  await setStatus('disabled')
  const other = await closed()
  await eraseAccounts(t)
  expect(await isErased(t, site, other.id)).toBe(true)
  expect(await isErased(t, site, user.id)).toBe(false)
  expect(mailsTo(user)).toEqual([])
  await setStatus('active')
  expect((await t.call(site, loginByPassword, { account: user.email, password })).code).toBe('ACCOUNT_DISABLED')
  await eraseAccounts(t)
  expect(await isErased(t, site, user.id)).toBe(true)
  expect(mailsTo(user)).toHaveLength(1)
})

test('an account that is disabled while it is about to be erased stays', async () => {
  const user = await closed()
  const operator = await t.deps.pool.connect()
  await operator.query('BEGIN')
  await operator.query("UPDATE users SET status = 'disabled' WHERE id = $1", [user.id])
  const erasing = eraseAccounts(t)
  await expect.poll(() => mailsTo(user)).toHaveLength(1)
  await operator.query('COMMIT')
  operator.release()
  await erasing
  expect(await isErased(t, site, user.id)).toBe(false)
  await t.deps.pool.query('DELETE FROM deletion WHERE user_id = $1', [user.id])
})

test('a user without rights is erased while those of the site are locked, one with rights afterwards', async () => {
  const at = await newSite()
  await newOperator(t, at, ['READ', 'ADMIN'])
  const user = await closed('7 days 1 minute', at)
  const reader = await newOperator(t, at, ['READ'])
  await reader.call(closeAccount)
  await passClosing(t, reader.id, '7 days 1 minute')
  const holder = await t.deps.pool.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT FROM site WHERE id = $1 FOR NO KEY UPDATE', [at.id])
  await eraseAccounts(await withTimeouts())
  expect(await isErased(t, at, user.id)).toBe(true)
  expect(await isErased(t, at, reader.id)).toBe(false)
  await holder.query('ROLLBACK')
  holder.release()
  await passHold()
  await eraseAccounts(t)
  expect(await isErased(t, at, reader.id)).toBe(true)
})

test('rights that are given while an account is about to be erased are seen', async () => {
  const user = await closed()
  const operator = await t.deps.pool.connect()
  await operator.query('BEGIN')
  await operator.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [user.id])
  const erasing = eraseAccounts(t)
  await expect.poll(() => mailsTo(user)).toHaveLength(1)
  await operator.query("INSERT INTO permission VALUES ($1, $2, 'MERCHANT', 'READ')", [site.id, user.id])
  await operator.query('COMMIT')
  operator.release()
  await erasing
  expect(await isErased(t, site, user.id)).toBe(false)
  await passHold()
  await eraseAccounts(t)
  expect(await isErased(t, site, user.id)).toBe(true)
})

test('from its due second on an account cannot be signed in to, though nothing was erased', async () => {
  const user = await closed('7 days')
  expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await t.call(site, loginByPassword, { account: user.email, password })).code).toBe('ACCOUNT_DISABLED')
  await expect(t.signIn(site, { mobile: user.mobile })).rejects.toThrow('ACCOUNT_DISABLED')
  const wrong = { mobilePrefix: '86', mobile: user.mobile, code: '000000' }
  expect((await t.call(site, loginByMobile, wrong)).code).toBe('CODE_WRONG')
})
