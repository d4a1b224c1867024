import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByPassword } from '@hufu/contract/login'
import { merchantWechatToken } from '@hufu/contract/merchant-wechat'
import { createScanRequest } from '@hufu/contract/scan-login'
import { scanSeconds } from '@hufu/contract/scan-login-rules'
import { codeLifeMinutes } from '@hufu/contract/verify-code-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { solvePow } from '../../apps/server/test/pow-solution.ts'
import { fresh, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { newWechat, wechatState } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { bind, createId, shop } from '../harness/authorizing.ts'
import { askCode, codeConfig, few, password } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { showCode } from '../harness/scan.ts'
import {
  codes,
  type Ending,
  type Ground,
  links,
  questions,
  recoveries,
  recoveryTickets,
  scans,
  tickets,
  waits,
} from './endings.ts'
import {
  checks,
  closings,
  freshProofs,
  idleSessions,
  newBrowsers,
  oldSessions,
  pauses,
  proofs,
} from './session-endings.ts'
import { startWrongClocks, type WrongClocks } from './wrong-clock.ts'

/** In seconds; what begins or ends with a wrong clock is never further off than this. */
const exact = 1
const step = few(100, 280)
/** Asked from so many milliseconds before the end until so many after. */
const around = 1_400

let clocks: WrongClocks
let t: WrongClocks['t']
let site: TestSite
beforeAll(async () => {
  clocks = await startWrongClocks()
  ;({ t } = clocks)
  site = await t.codeSite({ clients: [shop] })
})
afterAll(() => clocks?.stop())

const kinds = [
  codes,
  waits,
  scans,
  tickets,
  questions,
  links,
  recoveryTickets,
  recoveries,
  oldSessions,
  idleSessions,
  closings,
  checks,
  newBrowsers,
  freshProofs,
  pauses,
  proofs,
]

/** What one process was seen to answer, in milliseconds from the end. */
interface Seen {
  lastBefore: number
  firstAfter: number
  answers: number
}

async function watchOne(ending: Ending, process: number, turns: number, end: number): Promise<Seen> {
  const seen: Seen = { lastBefore: -around, firstAfter: around, answers: 0 }
  const asks = times(turns, async (turn) => {
    await sleep(Math.max(0, end - around + turn * step - Date.now()))
    const asked = Date.now() - end
    const before = await ending.ask(process, turn)
    if (before !== undefined) seen.answers++
    // Decided somewhere between the question and its answer, which isn't held against the process.
    if (before === true) seen.lastBefore = Math.max(seen.lastBefore, asked)
    if (before === false) seen.firstAfter = Math.min(seen.firstAfter, Date.now() - end)
  })
  await Promise.all(asks)
  return seen
}

/** Sets an expiry that no call has checked yet. A machine that was too slow for it gets more time. */
async function setEnd(ending: Ending, ms = ending.setsFor ?? 1_000, tries = 3): Promise<number> {
  const end = Date.now() + around + ms
  await ending.endAt(end)
  if (Date.now() < end - around) return end
  if (tries === 1) throw new Error(`${ending.name}: couldn't be set within ${ms} ms`)
  return await setEnd(ending, 3 * ms, tries - 1)
}

/** How many seconds too early or too late the end came at the worst of the processes. */
async function offBy(ending: Ending, turns: number): Promise<number> {
  const end = await setEnd(ending)
  const all = await Promise.all(clocks.urls.map((_, process) => watchOne(ending, process, turns, end)))
  const ranges = all.map(({ lastBefore, firstAfter, answers }) => `${lastBefore} to ${firstAfter} (${answers} answers)`)
  console.log(`F08: ${ending.name}: last as before to first as after, in ms from the end: ${ranges.join(', ')}`)
  for (const { answers } of all) expect.soft(answers, ending.name).toBeGreaterThanOrEqual(5)
  return Math.max(...all.flatMap(({ lastBefore, firstAfter }) => [lastBefore, -firstAfter, 0])) / 1_000
}

test('F08 with one process five minutes ahead and one behind everything expires by the clock of the store', async () => {
  const shifts = await clocks.shifts()
  expect(shifts.map((seconds) => Math.round(seconds / 60).toString())).toEqual(['0', '5', '-5'])
  const turns = Math.floor((2 * around) / step) + 1
  const ground: Ground = { t, site, urls: clocks.urls, turns }
  // Each is watched as soon as it is made: on a slow machine it would end by itself before all others are made.
  await together(kinds.length, 4, async (index) => {
    const ending = await (kinds[index] as (typeof kinds)[number])(ground)
    figure(`${ending.name}: end too early or too late`, await offBy(ending, turns), ['<=', exact], 's')
  })
})

/** Seconds that the newest row of a table has left. */
async function left(table: string): Promise<number> {
  const { rows } = await t.deps.pool.query<{ left: number }>(
    `SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::float8 AS left FROM ${table} WHERE site_id = $1`,
    [site.id],
  )
  return rows[0]?.left ?? Number.NaN
}

test('F08 what is created by a process with a wrong clock has its full lifetime', async () => {
  const off = new Map<string, number>()
  let dated = 0
  for (const url of clocks.urls) {
    const begun = performance.now()
    /** What has passed since it began may be gone of its life. */
    const note = (what: string, has: number, whole: number) => {
      const passed = (performance.now() - begun) / 1_000
      off.set(what, Math.max(off.get(what) ?? 0, has - whole, whole - passed - has))
    }
    await askCode(t.browser(site, { urls: [url] }), fresh.mobile())
    note('codes', await left('code'), codeLifeMinutes * 60)
    const { request, browser } = await showCode(t, site, { urls: [url] })
    const { headers } = await browser.call(createScanRequest)
    dated += (headers['set-cookie'] ?? []).filter((line) => /expires=/i.test(line)).length
    expect(headers['set-cookie']?.length).toBeGreaterThan(0)
    note('scan requests', (await t.deps.cache.pttl(`{scan:${site.id}:${request.id}}`)) / 1_000, scanSeconds)
    note('times in scan requests', request.time / 1_000, Date.now() / 1_000)
    const user = await t.session(site, (await t.user(site, { password: undefined })).id, { urls: [url] })
    const bound = await bind(user, await createId(t.browser(site, { urls: [url] })))
    expect(bound.status).toBe(200)
    note('authorize ids', await left('authorize_request'), 600)
    note('tickets for other sites', await left('authorize_ticket'), 60)
  }
  console.log(`F08: lives too short or too long: ${JSON.stringify(Object.fromEntries(off))}`)
  figure('lives too short or too long', Math.max(...off.values()), ['<=', exact], 's')
  // An age is counted by the browser alone; a date would be the process's.
  figure('cookies that end by a date', dated, ['=', 0])
})

/** A caller who has tried too often and must solve a proof of work. */
async function askedForProof(url: string) {
  const browser = t.browser(site, { urls: [url] })
  const { id, username: account } = await t.user(site, { password: undefined })
  await t.deps.cache.set(`{pw:${site.id}:${id}}:new`, 10, 'EX', 900)
  const { code, details } = await browser.call(loginByPassword, { account, password })
  expect(code).toBe('PROOF_REQUIRED')
  return { account, browser, proof: await solvePow(details) }
}

test('F08 a proof of work that one process asks for is taken by every other', async () => {
  let refused = 0
  for (const from of clocks.urls) {
    for (const to of clocks.urls) {
      const { account, browser, proof } = await askedForProof(from)
      const other = t.browser(site, { urls: [to], address: browser.address })
      if ((await other.call(loginByPassword, { account, password, proof })).code !== 'LOGIN_FAILED') refused++
    }
  }
  figure('solved proofs of work refused', refused, ['=', 0])
})

test("F08 WeChat's token is returned with its expiry, and fetched once for all", async () => {
  const wechat = await newWechat()
  const [own] = await t.sites(1, () => codeConfig({ wechat }))
  if (!own) throw new Error('no site')
  const { id } = await t.user(own, { password: undefined })
  await makeOperator(t.deps, own.id, id, ['READ', 'WRITE', 'ADMIN'], 'fault')
  const ends: number[] = []
  for (const url of clocks.urls) {
    const operator = await t.session(own, id, { urls: [url] })
    await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(operator)])
    const { data, code } = await operator.call(merchantWechatToken)
    if (!data) throw new Error(`no token: ${code}`)
    ends.push(data.expires)
  }
  const { issued } = await wechatState(wechat)
  figure('tokens of WeChat asked for', issued, ['=', 1])
  figure(
    "difference of the returned expiries of WeChat's token",
    (Math.max(...ends) - Math.min(...ends)) / 1_000,
    ['<=', exact],
    's',
  )
})

/**
 * Where the product may ask its own machine for the time: the clock that follows the store's, lines of the log, and the check
 * of a date in the environment before the store is reached.
 */
const mayAsk = [
  'platform/clock.ts',
  'http/call-line.ts',
  'platform/config/config.ts',
  'features/oidc/provider-clock.ts',
]

test('F08 no part of the server reads the clock of its own machine', () => {
  const source = join(import.meta.dirname, '../../apps/server/src')
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
  const asking = files.filter((file) => /Date\.now\(|new Date\(\)/.test(readFileSync(join(source, file), 'utf8')))
  expect(files.length).toBeGreaterThan(100)
  expect(asking.filter((file) => !mayAsk.includes(file))).toEqual([])
  figure('files that go by the clock of their machine', asking.filter((file) => !mayAsk.includes(file)).length, [
    '=',
    0,
  ])
})
