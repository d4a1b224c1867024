import type { Endpoint, InputOf } from '@hufu/contract/endpoint'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { openRecovery } from '@hufu/contract/recovery'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createUser } from '../apps/server/src/features/users/users.service.ts'
import { fresh, type TestSite, wideLimits } from '../apps/server/test/test-app.ts'
import { few, type Harness, number, openHarness } from './harness.ts'
import { together } from './http.ts'
import { compare } from './timing.ts'

const samples = few(2_000, 200)
/** The gap between known and unknown, in gaps between two halves of the same kind. */
const limit = 2

const limits = { ...wideLimits, passwordFailures: 1_000_000 }
let t: Harness
let open: TestSite
let closed: TestSite
let known: string[]
let unknown: string[]
beforeAll(async () => {
  t = await openHarness()
  open = await t.codeSite({ limits })
  closed = await t.codeSite({ limits, registration: 'closed' })
  known = [...new Set(Array.from({ length: samples }, fresh.mobile))]
  unknown = [...new Set(Array.from({ length: samples }, fresh.mobile))]
  for (const site of [open, closed]) {
    await together(known.length, 8, (index) => createUser(t.deps, site.id, { mobile: known[index] }, 'attack'))
  }
}, 120_000)
afterAll(() => t.close())

/** What an answer tells besides its time; a request's own id and a mark for a new browser tell nothing. */
const look = ({ status, body, headers }: { status: number; body: string; headers: object }) =>
  JSON.stringify([status, body, Object.keys(headers).sort()])

/** Asks for known and unknown by turns, one at a time, at one process. */
async function tellApart<E extends Endpoint>(
  site: TestSite,
  endpoint: E,
  inputs: { known: InputOf<E>[]; unknown: InputOf<E>[] },
  count = samples,
) {
  // What an earlier try sent mustn't make this one a refusal.
  await t.deps.pool.query('UPDATE receiver SET last_sent_at = NULL WHERE site_id = $1', [site.id])
  const ms = { known: [] as number[], unknown: [] as number[] }
  const looks = new Set<string>()
  const urls = inject('apiUrls').slice(0, 1)
  for (let warm = 0; warm < 20; warm++) await t.browser(site, { urls }).post(endpoint.path, '[]')
  for (let index = 0; index < count; index++) {
    // Which of the two comes first changes by chance, so that neither profits.
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    for (const kind of order) {
      const reply = await t.browser(site, { urls }).call(endpoint, inputs[kind][index % inputs[kind].length])
      ms[kind].push(reply.ms)
      looks.add(look(reply))
    }
  }
  const { gap, noise, told } = compare(ms.known, ms.unknown)
  console.log(`A10: ${endpoint.path}, ${count} known and ${count} unknown: ${looks.size} kind of answer; ${told}`)
  expect([...looks]).toHaveLength(1)
  expect([...looks][0]).toMatch(/^\[(200,|400,"\{\\"code\\":\\"(CODE_WRONG|LOGIN_FAILED))/)
  expect(gap).toBeLessThanOrEqual(limit * noise)
}

const of = <Input>(make: (mobile: string) => Input) => ({ known: known.map(make), unknown: unknown.map(make) })

/** Neighbours on the machine disturb times: what tells nothing in one of three runs tells nothing. */
const noisy = { retry: 2 }

test('A10 asking for a code tells nothing, registration open', noisy, () => tellApart(open, sendMobileCode, of(number)))

test('A10 asking for a code tells nothing, registration closed', noisy, () =>
  tellApart(closed, sendMobileCode, of(number)),
)

test('A10 a wrong code tells nothing', noisy, () =>
  tellApart(
    open,
    loginByMobile,
    of((mobile) => ({ ...number(mobile), code: '000000' })),
  ),
)

test.each([
  ['signing in', loginByPassword],
  ['a way back to an account', openRecovery],
] as const)('A10 a wrong password tells nothing: %s', noisy, async (_what, endpoint) => {
  const people = await Promise.all(Array.from({ length: 20 }, () => t.person(open)))
  const wrong = (account: string) => ({ account, password: 'Wrong#2026x' })
  const inputs = {
    known: people.map(({ username }) => wrong(username)),
    unknown: people.map(() => wrong(fresh.username())),
  }
  // Hashing takes its time: two thousand samples in all.
  await tellApart(open, endpoint, inputs, samples / 2)
})
