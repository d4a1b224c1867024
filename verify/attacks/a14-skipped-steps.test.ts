import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { loginByPassword } from '@hufu/contract/login'
import { closeAccount, exportData } from '@hufu/contract/personal-data'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendEmailCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeTo, fresh, sessionOf, type TestSite, wrongCode } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import {
  askCode,
  type Browser,
  few,
  type Harness,
  number,
  openHarness,
  password,
  type User,
} from '../harness/harness.ts'
import { random } from '../harness/walks.ts'
import { passCheck } from './checks.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

/** The expected state of a session, derived only from the steps taken. */
interface Model {
  browser: User
  checked: boolean
  alive: boolean
}

interface Walk {
  sessions: Model[]
  mobile: string
  id: User['id']
  /** The newest code and the session that asked for it. */
  code?: { value: string; session: string; spent: boolean; tries: number } | undefined
  log: string[]
}

const steps: Record<string, (walk: Walk, at: Model, pick: (below: number) => number) => Promise<void>> = {
  async send(walk, at) {
    await t.passMinute(site, `+86${walk.mobile}`)
    const { status } = await at.browser.call(sendTwoFactorMobileCode)
    expect(status, walk.log.join(' ')).toBe(at.alive ? 200 : 401)
    if (!at.alive) return
    const value = await codeTo(walk.mobile)
    const same = walk.code?.session === sessionOf(at.browser) && !walk.code.spent && walk.code.value === value
    walk.code = { value, session: sessionOf(at.browser), spent: false, tries: same ? (walk.code?.tries ?? 0) : 0 }
  },
  async verify(walk, at, pick) {
    const right = walk.code?.value ?? '000000'
    const given = pick(3) === 0 ? wrongCode(right) : right
    const { status } = await at.browser.call(verifyTwoFactor, { code: given })
    const own = walk.code?.session === sessionOf(at.browser) && !walk.code.spent && walk.code.tries < 5
    const passes = at.alive && own && given === right
    if (at.alive && own && walk.code) walk.code.tries++
    expect(status === 200, walk.log.join(' ')).toBe(passes)
    if (!passes || !walk.code) return
    walk.code.spent = true
    at.checked = true
  },
  async username(walk, at) {
    const { status, code } = await at.browser.call(changeUsername, { username: fresh.username() })
    expect(status === 200, `${walk.log.join(' ')} ${code}`).toBe(at.alive && at.checked)
  },
  async password(walk, at) {
    const { status } = await at.browser.call(changePassword, { password })
    expect(status === 200, walk.log.join(' ')).toBe(at.alive && at.checked)
    if (status === 200) for (const other of walk.sessions) if (other !== at) other.alive = false
  },
  async runOut(_walk, at) {
    const past = "UPDATE session SET two_factor_at = two_factor_at - interval '10 minutes' WHERE id = $1"
    await t.deps.pool.query(past, [sessionOf(at.browser)])
    at.checked = false
  },
  async signInAgain(walk, at) {
    at.browser = await t.session(site, walk.id)
    at.checked = false
    at.alive = true
  },
}

async function walk(seed: number, length: number): Promise<{ changes: number; refused: number }> {
  const pick = random(seed)
  const { id, mobile } = await t.user(site)
  const session = async (): Promise<Model> => ({ browser: await t.session(site, id), checked: false, alive: true })
  const state: Walk = { sessions: [await session(), await session()], mobile, id, log: [`seed ${seed}:`] }
  // The valid order is tried often enough to be reached, invalid orders far more often.
  const names = [...Object.keys(steps), 'send', 'verify', 'verify', 'username']
  const counts = { changes: 0, refused: 0 }
  for (let step = 0; step < length; step++) {
    const index = pick(3) === 0 ? 1 : 0
    const at = state.sessions[index] as Model
    const name = names[pick(names.length)] as string
    state.log.push(`${name}${index}`)
    if (name === 'username' || name === 'password') counts[at.alive && at.checked ? 'changes' : 'refused']++
    await steps[name]?.(state, at, pick)
  }
  return counts
}

const length = 20

test('A14 in no order of calls is a step of step-up and change skipped', async () => {
  const seeds = Array.from({ length: few(300, 10) }, (_, index) => index + 1)
  let changes = 0
  let refused = 0
  for (let from = 0; from < seeds.length; from += 10) {
    for (const counts of await Promise.all(seeds.slice(from, from + 10).map((seed) => walk(seed, length)))) {
      changes += counts.changes
      refused += counts.refused
    }
  }
  console.log(
    `A14: ${seeds.length} walks of ${length} calls over two sessions on two processes: ${changes} changes after a check, ${refused} refused without one, none otherwise`,
  )
  expect(changes).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
  figure('step-up and change: walks that matched the model', seeds.length, ['=', seeds.length])
})

/** A caller who has only the number, and what they have achieved in the account so far. */
interface Thief {
  browser: Browser
  mobile: string
  password?: string
  email?: string
}

const own = 'Neu#2026pass'

const settings: Record<string, (thief: Thief) => Promise<unknown>> = {
  check: ({ browser, mobile }) => passCheck(t, site, browser, mobile),
  async password(thief) {
    if ((await thief.browser.call(changePassword, { password: own })).status === 200) thief.password = own
  },
  async email(thief) {
    const email = fresh.email()
    await thief.browser.call(sendEmailCode, { email, type: 'authorize' })
    const { status } = await thief.browser.call(changeEmail, { email, code: await codeTo(email) })
    if (status === 200) thief.email = email
  },
  async verifyPassword({ browser, ...thief }) {
    if (thief.password) expect((await browser.call(verifyTwoFactor, { password: own })).status).toBe(200)
  },
  async verifyEmail({ browser, email }) {
    if (!email) return
    await t.passMinute(site, email)
    await browser.call(sendTwoFactorEmailCode)
    expect((await browser.call(verifyTwoFactor, { code: await codeTo(email), way: 'email' })).status).toBe(200)
  },
  async signInAgain(thief) {
    thief.browser = t.browser(site)
    const account = thief.email ?? thief.mobile
    if (thief.password) await thief.browser.call(loginByPassword, { account, password: own })
    else thief.browser = await byNumber(thief.mobile)
  },
}

async function byNumber(mobile: string): Promise<Browser> {
  await t.passMinute(site, `+86${mobile}`)
  return await t.signIn(site, { mobile })
}

/** What a new browser may do with two kinds of proof alone. */
const guarded: ((thief: Thief) => Promise<{ status: number }>)[] = [
  ({ browser }) => browser.call(exportData),
  ({ browser }) => browser.call(closeAccount),
  async ({ browser }) => {
    const mobile = fresh.mobile()
    return await browser.call(changeMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  },
]

async function theft(seed: number): Promise<{ set: number; refused: number }> {
  const pick = random(seed)
  // Sometimes all that there is can be replaced, sometimes the password stays out of reach of a new address.
  const { id, mobile } = await t.user(site, pick(2) === 0 ? { email: undefined } : {})
  const thief: Thief = { browser: await byNumber(mobile), mobile }
  const log = [`seed ${seed}:`]
  const names = [...Object.keys(settings), 'check', 'password', 'email']
  let refused = 0
  for (let step = 0; step < length; step++) {
    const name = names[pick(names.length)] as string
    log.push(name)
    await settings[name]?.(thief)
    if (pick(3) > 0) continue
    await passCheck(t, site, thief.browser, mobile)
    for (const act of guarded) expect((await act(thief)).status, log.join(' ')).toBe(403)
    refused += guarded.length
  }
  const { rows } = await t.deps.pool.query('SELECT mobile FROM users WHERE id = $1', [id])
  expect(rows, log.join(' ')).toEqual([{ mobile }])
  return { set: Number(thief.password !== undefined) + Number(thief.email !== undefined), refused }
}

test('A14 in no order can a caller who has only the number make the second identity proof', async () => {
  const seeds = Array.from({ length: few(60, 8) }, (_, index) => index + 1)
  let set = 0
  let refused = 0
  for (let from = 0; from < seeds.length; from += 5) {
    for (const counts of await Promise.all(seeds.slice(from, from + 5).map(theft))) {
      set += counts.set
      refused += counts.refused
    }
  }
  console.log(
    `A14: ${seeds.length} walks of a thief with the number alone: ${set} passwords and addresses of their own, ${refused} guarded actions refused, none passed`,
  )
  // Where the account has another kind of proof, the number alone sets none.
  expect(set).toBe(0)
  expect(refused).toBeGreaterThan(0)
  figure('number alone: walks in which no gate was passed', seeds.length, ['=', seeds.length])
})
