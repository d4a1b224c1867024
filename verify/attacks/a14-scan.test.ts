import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { check, decide, expire, hasSession, showCode, type Waiting } from '../harness/scan.ts'

let t: Harness
let site: TestSite
let users: User[]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  users = [await t.session(site, (await t.user(site)).id), await t.session(site, (await t.user(site)).id)]
})
afterAll(() => t.close())

/** The expected state of a request, derived only from the steps taken. */
interface Model {
  waiting: Waiting
  status: -1 | 0 | 1 | 2
  scanner?: User
  /** Who has tapped 确认登录 with the request in front of them. */
  tapped?: User
  gone: boolean
}

interface Walk {
  /** The newest request of each of the two browsers. */
  requests: (Model | undefined)[]
  log: string[]
  sessions: number
}

type Step = (walk: Walk) => Promise<void>

const contextOf = (walk: Walk) => walk.log.join(' ')

function create(browser: 0 | 1): Step {
  return async (walk) => {
    walk.requests[browser] = { waiting: await showCode(t, site), status: -1, gone: false }
  }
}

/** A user marks, approves or rejects the request of a browser. */
function process(who: 0 | 1, status: 0 | 1 | 2, browser: 0 | 1): Step {
  return async (walk) => {
    const model = walk.requests[browser]
    const user = users[who]
    if (!model || !user) return
    const { code } = await decide(user, model.waiting.request, status)
    expect(code, contextOf(walk)).toBe(refusal(model, user, status))
    if (code !== undefined) return
    model.status = status
    model.scanner = user
    if (status === 1) model.tapped = user
  }
}

function refusal(model: Model, user: User, status: 0 | 1 | 2): string | undefined {
  if (model.gone) return 'LOGIN_REQUEST_EXPIRED'
  if (model.scanner && model.scanner !== user) return 'LOGIN_REQUEST_TAKEN'
  if (status === model.status) return undefined
  if (model.status === -1) return status === 0 ? undefined : 'LOGIN_REQUEST_EXPIRED'
  return model.status === 0 ? undefined : 'LOGIN_REQUEST_DONE'
}

/** A browser asks about a request: its own, or the other's that it has seen on the screen. */
function ask(browser: 0 | 1, of: 0 | 1): Step {
  return async (walk) => {
    const model = walk.requests[of]
    if (!model) return
    const own = browser === of
    const asking = own ? model.waiting.browser : (walk.requests[browser]?.waiting.browser ?? t.browser(site))
    const before = asking.cookies.get('__Host-hufu')
    const { data, code } = await check({ browser: asking, request: model.waiting.request })
    if (!own || model.gone) {
      expect(code, contextOf(walk)).toBe('LOGIN_REQUEST_EXPIRED')
      expect(asking.cookies.get('__Host-hufu'), contextOf(walk)).toBe(before)
      return
    }
    expect(data, contextOf(walk)).toEqual({ status: model.status })
    expect(hasSession(asking), contextOf(walk)).toBe(model.tapped !== undefined)
    if (!model.tapped) return
    walk.sessions++
    expect((await asking.call(userInfo)).data?.id, contextOf(walk)).toBe(model.tapped.id)
  }
}

function runOut(browser: 0 | 1): Step {
  return async (walk) => {
    const model = walk.requests[browser]
    if (!model) return
    await expire(t, site, model.waiting.request)
    model.gone = true
  }
}

const steps: Record<string, Step> = {
  create0: create(0),
  create1: create(1),
  runOut0: runOut(0),
  runOut1: runOut(1),
  check00: ask(0, 0),
  check11: ask(1, 1),
  check10: ask(1, 0),
  check01: ask(0, 1),
}
for (const who of [0, 1] as const) {
  for (const browser of [0, 1] as const) {
    steps[`scan${who}${browser}`] = process(who, 0, browser)
    steps[`approve${who}${browser}`] = process(who, 1, browser)
    steps[`reject${who}${browser}`] = process(who, 2, browser)
  }
}

async function walk(names: string[]): Promise<number> {
  const state: Walk = { requests: [], log: [], sessions: 0 }
  await create(0)(state)
  await create(1)(state)
  for (const name of names) {
    state.log.push(name)
    await steps[name]?.(state)
  }
  // Whatever was done, in the end each browser is asked for what it has.
  for (const end of ['check00', 'check11']) await steps[end]?.(state)
  return state.sessions
}

/** What can be done to one request by two users and two browsers. */
const alphabet = ['scan00', 'approve00', 'reject00', 'scan10', 'approve10', 'reject10', 'check00', 'check10', 'runOut0']

function words(length: number): string[][] {
  if (length === 0) return [[]]
  return words(length - 1).flatMap((word) => alphabet.map((letter) => [...word, letter]))
}

test('A14 in no order of scanning, deciding, asking and expiring is a user signed in without the approval and the secret', async () => {
  const depth = few(4, 3)
  const all = words(depth)
  const sessions = await together(all.length, 24, (index) => walk(all[index] ?? []))
  const signedIn = sessions.filter((count) => count > 0).length
  console.log(`A14 scan: all ${all.length} orders of ${depth} steps: ${signedIn} end signed in, each after an own tap`)
  expect(signedIn).toBeGreaterThan(0)
  figure(`scan: of all orders of ${depth} steps went as the model says`, sessions.length, ['=', 9 ** depth])
})

test('A14 nor in long walks over two requests at once', async () => {
  const names = Object.keys(steps)
  const walks = few(400, 16)
  const length = 25
  const sessions = await together(walks, 16, (seed) => {
    let state = seed + 1
    const next = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return names[Math.floor((state / 2 ** 32) * names.length)] ?? ''
    }
    return walk(Array.from({ length }, next))
  })
  const given = sessions.reduce((sum, count) => sum + count, 0)
  console.log(
    `A14 scan: ${walks} walks of ${length} steps over two requests: ${given} times a session, each as the model says`,
  )
  expect(given).toBeGreaterThan(0)
  figure('scan: walks that went as the model says', sessions.length, ['=', walks])
})
