import { loginByMobile, logout } from '@hufu/contract/login'
import { closeAccount, exportData, keepAccount } from '@hufu/contract/personal-data'
import { userInfo } from '@hufu/contract/profile'
import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../apps/server/src/platform/log.ts'
import { createDeps, type Deps } from '../../apps/server/src/shared/deps.ts'
import { eraseAccounts, isErased } from '../../apps/server/test/closing.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, type Browser, few, type Harness, number, openHarness, password } from '../harness/harness.ts'
import { random } from '../harness/walks.ts'
import { passCheck } from './checks.ts'

let t: Harness
let worker: Deps & { close(): Promise<void> }
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  worker = await createDeps(t.deps.config, createLog({ logLevel: 'silent' }))
  site = await t.codeSite()
})
afterAll(async () => {
  await worker.close()
  await t.close()
})

/** What must be true of a session, by what was done and nothing else. */
interface Session {
  browser: Browser
  alive: boolean
  checked: boolean
  /** A kind of proof besides a texted code, which its new browser owes. */
  second: boolean
}

interface Model {
  id: string
  mobile: string
  sessions: Session[]
  /** Days that are left of a closing. */
  left?: number | undefined
  exports: number
  erased: boolean
  counts: Record<string, number>
}

const isDue = ({ left = 7 }: Model) => left <= 0
const passes = (at: Session) => at.alive && at.checked && at.second
const count = ({ counts }: Model, what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

/** Where a gate is shut: by the session, or by what it hasn't proved. */
const refusal = (at: Session) =>
  at.alive ? 'TWO_FACTOR_REQUIRED' : expect.stringMatching(/SESSION_REMOVED|NOT_LOGGED_IN/)

const steps: Record<string, (person: Model, at: Session, told: string) => Promise<void>> = {
  async close(person, at, told) {
    const { status, code } = await at.browser.call(closeAccount)
    if (!passes(at)) expect(code, told).toEqual(refusal(at))
    else if (person.left !== undefined) expect(code, told).toBe('CLOSING_ALREADY')
    else expect(status, told).toBe(200)
    count(person, status === 200 ? 'closed' : 'refused')
    if (status !== 200) return
    person.left = 7
    for (const other of person.sessions) if (other !== at) other.alive = false
  },
  async keep(person, at, told) {
    const { status, code } = await at.browser.call(keepAccount)
    if (!at.alive) expect(status, told).toBe(401)
    else if (person.left === undefined) expect(code, told).toBe('CLOSING_NONE')
    else expect(status, told).toBe(200)
    if (status !== 200) return
    person.left = undefined
    count(person, 'kept')
  },
  async export(person, at, told) {
    const { status, code } = await at.browser.call(exportData)
    if (!passes(at)) expect(code, told).toEqual(refusal(at))
    else if (person.exports > 0) expect(code, told).toBe('EXPORT_BUSY')
    else expect(status, told).toBe(200)
    if (status === 200) person.exports++
    count(person, status === 200 ? 'exported' : 'refused')
  },
  async check(person, at) {
    if (!at.alive) return
    await passCheck(t, site, at.browser as Browser, person.mobile)
    at.checked = true
  },
  async second(_person, at, told) {
    const { status } = await at.browser.call(verifyTwoFactor, { password })
    expect(status, told).toBe(at.alive ? 200 : 401)
    at.second = at.alive
  },
  async prove(person, at, told) {
    await steps.check?.(person, at, told)
    await steps.second?.(person, at, told)
  },
  async runOut(_person, at) {
    const past = `UPDATE session SET two_factor_at = two_factor_at - interval '10 minutes',
      second_at = second_at - interval '10 minutes' WHERE id = $1`
    await t.deps.pool.query(past, [(at.browser.cookies.get('__Host-hufu') ?? '').split('.')[1]])
    at.checked = false
    at.second = false
  },
  async signOut(_person, at) {
    const kept = new Map(at.browser.cookies)
    await at.browser.call(logout)
    for (const [name, value] of kept) at.browser.cookies.set(name, value)
    at.alive = false
  },
  async signIn(person, at, told) {
    // The number of somebody who is gone begins another account, which is none of ours.
    if (person.erased) return
    const entered = await signIn(person)
    expect(entered === undefined, told).toBe(isDue(person))
    if (entered) Object.assign(at, entered)
  },
  async days(person) {
    await t.deps.pool.query("UPDATE deletion SET due_at = due_at - interval '3 days' WHERE user_id = $1", [person.id])
    // Days pass here in a moment; the copy in the cache would have run out.
    await t.deps.cache.del(`{${site.id}:${person.id}}:u2`)
    if (person.left !== undefined) person.left -= 3
    if (isDue(person)) for (const session of person.sessions) session.alive = false
  },
  erase: () => eraseAccounts({ deps: worker }),
}

/** By a texted code in a browser that the account has never seen; undefined when the account can't be used. */
async function signIn({ mobile }: Pick<Model, 'mobile'>): Promise<Session | undefined> {
  await t.passMinute(site, `+86${mobile}`)
  const browser = t.browser(site)
  const { code } = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  if (code !== undefined) expect(code).toBe('ACCOUNT_DISABLED')
  return code === undefined ? { browser, alive: true, checked: false, second: false } : undefined
}

async function newPerson(): Promise<Model> {
  const { id, mobile } = await t.person(site)
  const sessions = [await signIn({ mobile }), await signIn({ mobile })].filter((each) => each !== undefined)
  return { id, mobile, sessions, exports: 0, erased: false, counts: {} }
}

const rowsOf = async (table: string, { id }: Model): Promise<number> =>
  (await t.deps.pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [id])).rows.length

/** Whatever was done: closed, exported and erased is exactly who should be. */
async function compare(person: Model, told: string): Promise<void> {
  // Anybody's run of the job erases whoever is due, also now: what was read before the look at the account counts.
  const [deletions, exported] = [await rowsOf('deletion', person), await rowsOf('data_export', person)]
  const gone = await isErased({ deps: worker }, site, person.id)
  if (gone) expect(isDue(person), told).toBe(true)
  if (gone && !person.erased) count(person, 'erased')
  person.erased = gone
  if (gone) return
  expect(deletions, told).toBe(person.left === undefined ? 0 : 1)
  expect(exported, told).toBe(person.exports)
}

/** The way through is tried often enough to be found, the other orders far more often. */
const often = ['prove', 'prove', 'prove', 'close', 'close', 'close', 'keep', 'keep', 'days', 'days']

async function walk(seed: number, length: number): Promise<Record<string, number>[]> {
  const pick = random(seed)
  const people = [await newPerson(), await newPerson()]
  const log = [`seed ${seed}:`]
  const names = [...Object.keys(steps), ...often]
  for (let step = 0; step < length; step++) {
    const [who, which] = [pick(2), pick(3) === 0 ? 1 : 0]
    const name = names[pick(names.length)] as string
    const person = people[who] as Model
    log.push(`${name}${who}${which}`)
    await steps[name]?.(person, person.sessions[which] as Session, log.join(' '))
    for (const each of people) await compare(each, log.join(' '))
  }
  await steps.erase?.(people[0] as Model, people[0]?.sessions[0] as Session, '')
  for (const person of people) await finish(person, log.join(' '))
  return people.map(({ counts }) => counts)
}

/** In the end whoever is due is gone, and every other session stands as the model says. */
async function finish(person: Model, told: string): Promise<void> {
  // Somebody else's run may be at it.
  await expect.poll(() => isErased({ deps: worker }, site, person.id), { timeout: 10_000 }).toBe(isDue(person))
  await compare(person, told)
  for (const { browser, alive } of person.sessions)
    expect((await browser.call(userInfo)).status, told).toBe(alive ? 200 : 401)
}

test('A14 in no order is an account closed, exported or erased without its own check, proof, asking and seven days', async () => {
  const length = 40
  const seeds = Array.from({ length: few(80, 12) }, (_, index) => index + 1)
  const sums: Record<string, number> = {}
  for (let from = 0; from < seeds.length; from += 6) {
    const walks = await Promise.all(seeds.slice(from, from + 6).map((seed) => walk(seed, length)))
    for (const counts of walks.flat())
      for (const [what, times] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + times
  }
  console.log(
    `A14 closing: ${seeds.length} walks of ${length} steps over two people and two sessions each: ${JSON.stringify(sums)}`,
  )
  for (const what of ['closed', 'kept', 'exported', 'refused', 'erased']) expect(sums[what]).toBeGreaterThan(0)
  figure('closing: walks that went as the model says', seeds.length, ['=', seeds.length])
})
