import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Limit } from '@hufu/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { oidcClients } from '../../apps/server/test/oidc.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Browser, type CallResponse, freshAddress, type Harness, openHarness, short } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { files } from './files.ts'
import { countedAs, routeCalls } from './oidc-routes.ts'
import { allEndpoints, allNavigations, answerFieldsOf, fieldsOf } from './samples.ts'

const root = join(import.meta.dirname, '../..')
const guessable = /code|password|ticket|proof|secret|token|sure/i

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

const needsLimit = allEndpoints.filter(
  (endpoint) =>
    /code|password|ticket/i.test(endpoint.path) ||
    answerFieldsOf(endpoint).includes('retryAfter') ||
    fieldsOf(endpoint).some((field) => guessable.test(field)),
)

/** Calls without a rate limit, each with its reason: every new call is listed here or has a limit. */
const unlimited: Record<string, string> = {
  '/api/meta': 'from memory, needed by every page',
  '/api/page/visit': 'counted in memory',
  '/api/login/entry': 'from memory',
  '/api/login/request/check': 'asked every second by waiting pages, answered to the secret in a cookie of 256 bits',
  '/api/logout': 'ends the own session',
  '/api/user/info': 'asked by every page',
  '/api/user/token/list': 'the own devices',
  '/api/user/twoFactor/state': 'shows only the own session',
  '/api/merchant/feedback/answering': 'called by every operator who writes',
}

test('A03 every call that takes or sends a code, a password or a ticket declares a limit, and nearly all others do', () => {
  const without = needsLimit.filter(({ limit }) => !limit).map(({ path }) => path)
  console.log(`A03: ${needsLimit.length} calls with a secret, without a limit: ${without.join(' ')}`)
  const share = (100 * (needsLimit.length - without.length)) / needsLimit.length
  figure('calls with a code, password or ticket that declare a limit', share, ['=', 100], '%')
  const open = allEndpoints.filter(({ limit }) => !limit).map(({ path }) => path)
  expect(open.filter((path) => !(path in unlimited))).toEqual([])
})

const over = 20

/**
 * How many calls of one address are refused when it makes so many more than it may. Where the run is short the first of
 * them are counted by hand.
 */
async function refusedAt(
  path: string,
  { calls, seconds }: Limit,
  ask: (browser: Browser) => Promise<boolean>,
  byHand = short,
) {
  const [site] = sites
  if (!site) throw new Error('no site')
  const browser = t.browser(site, { address: freshAddress() })
  const before = byHand ? Math.max(calls - over, 0) : 0
  const network = browser.address.split(':').slice(0, 4)
  const key = `{limit:${site.id}:${path}:${network.join(':')}::/64}`
  if (before > 0) await t.deps.cache.set(key, before, 'EX', seconds)
  const refusals = await together(calls - before + over, 50, () => ask(browser))
  return refusals.filter(Boolean).length
}

let sites: Awaited<ReturnType<Harness['sites']>>
beforeAll(async () => {
  sites = await t.sites(1, () => ({ clients: oidcClients }))
})

const tooMany = ({ status, details }: CallResponse<unknown>, { seconds }: Limit) =>
  status === 429 && details.retryAfter <= seconds

test('A03 the routes of OpenID Connect hold their limits, on two processes together, without a client, a code or a session', async () => {
  const wrong: string[] = []
  for (const route of routeCalls) {
    const { path, method, limit, navigation } = route
    const ask = async (browser: Browser) => {
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const reply = await (method === 'GET' ? browser.get(path) : browser.post(path, 'client_id=x', type))
      const seconds = Number(reply.headers['retry-after'] ?? Number.NaN)
      const refused = navigation
        ? reply.headers.location?.startsWith('/authorizeError/temporarily_unavailable') === true
        : reply.status === 429 && JSON.parse(reply.body).error === 'temporarily_unavailable'
      return refused && seconds <= limit.seconds
    }
    // Servers may call often: the first of them are counted by hand in the full form too.
    const refused = await refusedAt(countedAs(route), limit, ask, short || limit.calls > 1_000)
    if (refused !== over) wrong.push(`${method} ${path}: ${refused} of ${over} refused`)
  }
  expect(wrong).toEqual([])
  figure('limits of OpenID Connect held exactly', routeCalls.length - wrong.length, ['=', routeCalls.length])
})

test('A03 a declared limit is held, on two processes together, by calls, navigations and files', async () => {
  const wrong: string[] = []
  let held = 0
  const hold = async (path: string, limit: Limit, ask: (browser: Browser) => Promise<boolean>) => {
    const refused = await refusedAt(path, limit, ask)
    if (refused === over) held++
    else wrong.push(`${path}: ${refused} of ${over} refused`)
  }
  const calls = allEndpoints.flatMap(({ path, limit }) => (limit ? [{ path, limit }] : []))
  for (const { path, limit } of calls)
    await hold(path, limit, async (browser) => tooMany(await browser.post(path, '[]'), limit))
  for (const { path, limit, home } of allNavigations)
    await hold(path, limit, async (browser) => {
      return (await browser.get(path)).headers.location === `${home}?wechat=TOO_MANY_REQUESTS`
    })
  const limitedFiles = files.flatMap(({ path, calls }) => (calls ? [{ path, limit: { calls, seconds: 60 } }] : []))
  for (const { path, limit } of limitedFiles)
    await hold(path, limit, async (browser) => tooMany(await browser.get(path), limit))
  expect(wrong).toEqual([])
  figure('declared limits held exactly', held, ['=', calls.length + allNavigations.length + limitedFiles.length])
})

const sources = () =>
  globSync('apps/server/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => ({ file: file.replace('apps/server/src/', ''), text: readFileSync(join(root, file), 'utf8') }))

test('A03 nothing but serve() adds a call, and every call of the contract is served', async () => {
  const adds = sources().filter(({ text }) =>
    /\bapp\s*\.\s*(get|post|put|patch|delete|head|options|all|route|register)\s*[(<]/.test(text),
  )
  const known = [
    'features/feedback/pictures.routes.ts',
    'features/merchant-users/user-export.routes.ts',
    'features/personal-data/data-export.routes.ts',
    'features/profile/avatar.routes.ts',
    'features/site/site-pictures.routes.ts',
    'http/events.ts',
    'http/health.ts',
    'http/navigation.ts',
    'http/oidc.ts',
    'http/openapi/serve-openapi.ts',
    'http/serve.ts',
    'http/upload.ts',
  ]
  expect(adds.map(({ file }) => file).sort()).toEqual(known)
  const fetched = sources().flatMap(({ text }) => [...text.matchAll(/\bapp\.get\(/g)])
  expect(fetched, 'verify/attacks/files.ts names all that is fetched, navigations apart').toHaveLength(files.length + 1)
  const [site] = sites
  if (!site) throw new Error('no site')
  const browser = t.browser(site)
  for (const { path } of allEndpoints) expect((await browser.post(path, '[]')).status, path).not.toBe(404)
  for (const { path } of allNavigations) expect((await browser.get(path)).status, path).toBe(302)
  for (const { path, method } of routeCalls)
    expect((await (method === 'GET' ? browser.get(path) : browser.post(path, ''))).status, path).not.toBe(404)
})
