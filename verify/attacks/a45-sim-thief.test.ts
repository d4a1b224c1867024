import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { listDevices, removeOtherDevices } from '@hufu/contract/devices'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { openRecovery, proveRecovery, sendRecoveryEmailCode, undoByRecovery } from '@hufu/contract/recovery'
import { disownSignIn } from '@hufu/contract/security'
import { applyUndo, readUndo } from '@hufu/contract/undo'
import { sendEmailCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeTo, fresh, messagesTo, sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import {
  askCode,
  type Browser,
  few,
  freshAddress,
  type Harness,
  number,
  password,
  type User,
} from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { seeded } from '../harness/walks.ts'
import { passCheck } from './checks.ts'
import { type Snapshot, accountOf as snapshotOf } from './factor-thief.ts'
import { addSoftwarePasskey, addTotp, protect, protections } from './protected-account.ts'
import { startWithWorker, type WithWorker } from './with-worker.ts'

let product: WithWorker
let t: Harness
let site: TestSite
beforeAll(async () => {
  product = await startWithWorker()
  t = product.t
  site = await t.codeSite()
})
afterAll(() => product.stop())

const newPassword = 'Own#2027again'
const thiefsPassword = 'Dieb#2026pass'

interface Owner extends Awaited<ReturnType<Harness['user']>> {
  /** A browser that the account has known for ten days. */
  browser: User
}

async function owner(): Promise<Owner> {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  await age(user.id, '10 days')
  return { ...user, browser }
}

/** Lets time pass for the browsers that the account knows. */
const age = (id: string, time: string) =>
  t.deps.pool.query('UPDATE known_browser SET first_seen = first_seen - $2::interval WHERE user_id = $1', [id, time])

/** The thief holds the SIM of the account's number, and of a number and a mailbox of their own. */
interface Thief {
  browser: Browser
  /** What signs in to the account as far as the thief knows. */
  mobile: string
}

/** Signs in and steps up by SMS codes, in the same browser each time. */
async function enter(thief: Thief): Promise<void> {
  const { browser, mobile } = thief
  await t.passMinute(site, `+86${mobile}`)
  const code = await askCode(browser, mobile)
  const { status, body } = await browser.call(loginByMobile, { ...number(mobile), code }, freshAddress())
  expect(status, body).toBe(200)
  await passCheck(t, site, browser, mobile)
}

type Act = 'password' | 'email' | 'number' | 'username' | 'authenticator' | 'passkey' | 'devices' | 'disown'
const changes: Act[] = ['password', 'email', 'number', 'username', 'authenticator', 'passkey']

const acts: Record<Act, (thief: Thief, victim: Owner) => Promise<number>> = {
  password: async ({ browser }) => (await browser.call(changePassword, { password: thiefsPassword })).status,
  async email({ browser }) {
    const email = fresh.email()
    const sent = await browser.call(sendEmailCode, { email, type: 'authorize' })
    if (sent.status !== 200) return sent.status
    return (await browser.call(changeEmail, { email, code: await codeTo(email) })).status
  },
  async number(thief) {
    const mobile = fresh.mobile()
    const code = await askCode(thief.browser, mobile)
    const { status } = await thief.browser.call(changeMobile, { ...number(mobile), code })
    if (status === 200) thief.mobile = mobile
    return status
  },
  username: async ({ browser }) => (await browser.call(changeUsername, { username: fresh.username() })).status,
  authenticator: ({ browser }) => enrol(() => addTotp(browser)),
  passkey: ({ browser }) => enrol(() => addSoftwarePasskey(browser, site)),
  devices: async ({ browser }) => (await browser.call(removeOtherDevices)).status,
  disown: async ({ browser }, { browser: { cookies } }) =>
    (await browser.call(disownSignIn, { id: sessionOf({ cookies }) })).status,
}

/** A factor of the thief's own. */
const enrol = (add: () => Promise<unknown>): Promise<number> =>
  add().then(
    () => 200,
    () => 403,
  )

const accountOf = async (id: string) => {
  const { rows } = await t.deps.pool.query('SELECT mobile, email, username, protected FROM users WHERE id = $1', [id])
  return rows[0]
}

/** The link of the first notice that the owner's mailbox got. */
async function firstLink(email: string): Promise<string> {
  let token: string | undefined
  const look = async () => {
    const mails = await messagesTo(email)
    token = mails.flatMap(({ text }) => /\/undo\/([\w-]{43})/.exec(text)?.[1] ?? []).at(-1)
    return token
  }
  await expect.poll(look, { timeout: 30_000 }).toBeDefined()
  return token ?? ''
}

/** By the mailed link and the password of before the first change. */
async function undoByLink({ email }: Owner): Promise<void> {
  const browser = t.browser(site)
  const token = await firstLink(email)
  const { data } = await browser.call(readUndo, { token })
  const from = data?.changes.at(-1)?.id ?? ''
  const { status, body } = await browser.call(applyUndo, { token, from, password, newPassword })
  expect(status, body).toBe(200)
}

/** By the former password and a code mailed to the former address. */
async function undoByPassword({ email }: Owner, current: { username: string }): Promise<void> {
  const browser = t.browser(site)
  const opened = await browser.call(openRecovery, { account: current.username, password })
  expect(opened.status, opened.body).toBe(200)
  const ticket = opened.data?.ticket ?? ''
  await t.passMinute(site, email)
  expect((await browser.call(sendRecoveryEmailCode, { ticket })).status).toBe(200)
  const proved = await browser.call(proveRecovery, { ticket, code: await codeTo(email) })
  expect(proved.data?.stage, proved.body).toBe('undo')
  const { status, body } = await browser.call(undoByRecovery, { ticket, newPassword })
  expect(status, body).toBe(200)
}

/** Everything is as it was, the owner is in, and the thief is out. */
async function isOwners({ id, mobile, email, username }: Owner, thief: Thief, after = ''): Promise<void> {
  expect(await accountOf(id), after).toEqual({ mobile, email, username, protected: false })
  const signIn = (typed: string) =>
    t.browser(site).call(loginByPassword, { account: username, password: typed }, freshAddress())
  expect((await signIn(newPassword)).data?.id).toBe(id)
  expect((await signIn(thiefsPassword)).code).toBe('LOGIN_FAILED')
  expect((await thief.browser.call(userInfo)).status).not.toBe(200)
}

/** Every order of one or more of these acts. */
const orders = (left: Act[]): Act[][] =>
  left.flatMap((act) => [[act], ...orders(left.filter((other) => other !== act)).map((rest) => [act, ...rest])])

const pick = seeded('A45')

/** So many of them by chance, or all. */
function some<Item>(from: Item[], count: number): Item[] {
  const left = [...from]
  return Array.from({ length: Math.min(count, from.length) }, () => left.splice(pick(left.length), 1)[0] as Item)
}

const all: Act[] = [...changes, 'devices', 'disown']

test('A45 in a browser younger than 72 hours the SIM changes nothing, in any order', async () => {
  const chosen = some(
    orders(all).filter(({ length }) => length === all.length),
    few(60, 3),
  )
  let changed = 0
  for (const order of chosen) {
    const victim = await owner()
    const thief: Thief = { browser: t.browser(site), mobile: victim.mobile }
    const before = await accountOf(victim.id)
    await enter(thief)
    for (const act of order) {
      const status = await acts[act](thief, victim)
      if (changes.includes(act) && status === 200) changed++
    }
    expect(await accountOf(victim.id)).toEqual(before)
    // Sessions may be ended from there; the browser that the account knows stays known.
    const again = t.browser(site)
    for (const [name, value] of victim.browser.cookies) if (name.endsWith('browser')) again.cookies.set(name, value)
    const answer = await again.call(loginByPassword, { account: victim.username, password }, freshAddress())
    expect(answer.data?.id).toBe(victim.id)
    const { rows } = await t.deps.pool.query(
      "SELECT count(*)::int AS known FROM known_browser WHERE user_id = $1 AND first_seen < now() - interval '9 days'",
      [victim.id],
    )
    expect(rows[0].known).toBe(1)
  }
  figure('orders of a thief in a new browser', chosen.length, ['>=', few(60, 3)])
  figure('changes made there by SMS codes', changed, ['=', 0])
})

test('A45 after 72 hours unnoticed: whatever the thief changes and whenever the owner comes, the account is theirs again', async () => {
  const possible = orders(all).filter((order) => order.some((act) => changes.includes(act)))
  const chosen = some(possible, Number(process.env.HUFU_ORDERS ?? few(400, 6)))
  const back = await together(chosen.length, 4, async (index) => {
    const done = chosen[index] ?? []
    const victim = await owner()
    const thief: Thief = { browser: t.browser(site), mobile: victim.mobile }
    await enter(thief)
    await age(victim.id, '73 hours')
    for (const act of done) expect(await acts[act](thief, victim), done.join(' ')).toBe(200)
    const byPassword = index % 2 === 1 && done.includes('password')
    await (byPassword ? undoByPassword(victim, await accountOf(victim.id)) : undoByLink(victim))
    await isOwners(victim, thief, `${done.join(' ')} (${byPassword ? 'password' : 'link'})`)
    // The SIM is still the thief's: it signs in, and changes nothing any more.
    thief.mobile = victim.mobile
    await enter(thief)
    for (const act of changes.filter((act) => !done.includes(act)))
      expect(await acts[act](thief, victim), `${act} after ${done.join(' ')}`).not.toBe(200)
    expect(await accountOf(victim.id)).toEqual({
      mobile: victim.mobile,
      email: victim.email,
      username: victim.username,
      protected: false,
    })
    return done.length
  })
  for (const length of new Set(chosen.map((done) => done.length)))
    console.log(`A45: ${back.filter((each) => each === length).length} orders of ${length}`)
  figure('orders in which the owner got the account back', back.length, ['=', chosen.length])
}, 1_800_000)

/** An owner who has a factor, and what the thief's acts must leave as it is. */
async function enrolledOwner(earlier: boolean): Promise<{ victim: Owner; thief: Thief; before: Snapshot }> {
  const victim = await owner()
  // Unnoticed for 73 hours, before the owner added a factor.
  const thief: Thief = { browser: t.browser(site), mobile: victim.mobile }
  if (earlier) await enter(thief)
  await age(victim.id, '73 hours')
  await protect(t, site, victim.browser, protections[pick(protections.length)] ?? 'both')
  return { victim, thief, before: await snapshotOf(t, victim.id) }
}

test('A45 an owner with a factor: the SIM changes nothing, also in a session from before and after 72 hours', async () => {
  const rounds = few(40, 4)
  let changed = 0
  for (let round = 0; round < rounds; round++) {
    const { victim, thief, before } = await enrolledOwner(round % 2 === 0)
    for (const act of [...some(all, all.length), ...some(changes, 3)]) {
      const status = await acts[act](thief, victim)
      if (changes.includes(act) && status === 200) changed++
    }
    await t.passMinute(site, `+86${victim.mobile}`)
    const visitor = t.browser(site)
    const code = await askCode(visitor, victim.mobile)
    const entered = await visitor.call(loginByMobile, { ...number(victim.mobile), code }, freshAddress())
    expect(entered.code).toBe('FACTOR_REQUIRED')
    expect(await snapshotOf(t, victim.id)).toEqual(before)
  }
  figure('orders of a thief against an owner with a factor', rounds, ['>=', few(40, 4)])
  figure('changes made there by SMS codes', changed, ['=', 0])
})

test('A45 the thief’s own mailbox gets no link, so the owner’s recovery can’t be undone', async () => {
  const victim = await owner()
  const thief: Thief = { browser: t.browser(site), mobile: victim.mobile }
  await enter(thief)
  await age(victim.id, '73 hours')
  expect(await acts.email(thief, victim)).toBe(200)
  const { email: thiefs } = await accountOf(victim.id)
  expect(await acts.password(thief, victim)).toBe(200)
  const notices = async () => (await messagesTo(thiefs)).filter(({ text }) => text.includes('修改了登录密码'))
  await expect.poll(async () => (await notices()).length, { timeout: 30_000 }).toBe(1)
  expect((await notices())[0]?.text).not.toContain('/undo/')
  await undoByLink(victim)
  await isOwners(victim, thief)
})

test('A45 a link alone undoes nothing: neither without a proof nor with the thief’s password, and opening changes nothing', async () => {
  const victim = await owner()
  const thief: Thief = { browser: t.browser(site), mobile: victim.mobile }
  await enter(thief)
  await age(victim.id, '73 hours')
  expect(await acts.password(thief, victim)).toBe(200)
  expect(await acts.email(thief, victim)).toBe(200)
  const before = await accountOf(victim.id)
  const token = await firstLink(victim.email)
  const browser = t.browser(site)
  const { data } = await browser.call(readUndo, { token })
  const from = data?.changes.at(-1)?.id ?? ''
  expect(data?.changes.map(({ kind }) => kind)).toEqual(['email', 'password'])
  expect((await browser.call(applyUndo, { token, from, newPassword })).code).toBe('INPUT_INVALID')
  const wrong = await browser.call(applyUndo, { token, from, password: thiefsPassword, newPassword })
  expect(wrong.code).toBe('PASSWORD_WRONG')
  expect((await browser.call(applyUndo, { token, from, code: '000000', newPassword })).code).toBe('CODE_WRONG')
  expect(await accountOf(victim.id)).toEqual(before)
  expect((await thief.browser.call(listDevices, { top: 5, skip: 0 })).status).toBe(200)
  await undoByLink(victim)
  expect((await browser.call(readUndo, { token })).code).toBe('NOTICE_EXPIRED')
})
