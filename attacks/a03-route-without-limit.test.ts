import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshAddress, type Harness, openHarness } from './harness.ts'
import { together } from './http.ts'
import { allEndpoints, allNavigations, fieldsOf } from './samples.ts'

const root = join(import.meta.dirname, '..')
const guessable = /code|password|ticket|proof|secret|token|sure/i

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

const needsLimit = allEndpoints.filter(
  (endpoint) =>
    /code|password|ticket/i.test(endpoint.path) || fieldsOf(endpoint).some((field) => guessable.test(field)),
)

test('A03 every call that takes or sends a code, a password or a ticket declares a limit', () => {
  const without = needsLimit.filter(({ limit }) => !limit).map(({ path }) => path)
  console.log(`A03: ${needsLimit.length - without.length} of ${needsLimit.length} calls with a secret declare a limit`)
  expect(needsLimit.length).toBeGreaterThan(0)
  expect(without).toEqual([])
})

test('A03 a declared limit is held, on two processes together', async () => {
  const [site] = await t.sites(1)
  if (!site) throw new Error('no site')
  const limited = allEndpoints.flatMap(({ path, limit }) => (limit ? [{ path, limit }] : []))
  for (const { path, limit } of limited) {
    const browser = t.browser(site, { address: freshAddress() })
    const replies = await together(limit.calls + 20, 50, () => browser.post(path, '[]'))
    expect(replies.filter(({ status }) => status === 429).length, path).toBe(20)
    expect(replies.find(({ status }) => status === 429)?.details.retryAfter, path).toBeLessThanOrEqual(limit.seconds)
  }
  console.log(`A03: ${limited.length} declared limits held exactly`)
})

test('A03 every navigation declares a limit, and it is held too', async () => {
  const [site] = await t.sites(1)
  if (!site) throw new Error('no site')
  for (const { path, limit, home } of allNavigations) {
    const browser = t.browser(site, { address: freshAddress() })
    const replies = await together(limit.calls + 20, 50, () => browser.get(path))
    const limited = replies.filter(({ headers }) => headers.location === `${home}?wechat=TOO_MANY_REQUESTS`)
    expect(limited.length, path).toBe(20)
  }
  console.log(`A03: ${allNavigations.length} navigations, each with a limit that is held exactly`)
})

test('A03 nothing but serve() adds a call, and every call of the contract is served', async () => {
  const adds = globSync('apps/server/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) =>
      /\bapp\s*\.\s*(get|post|put|patch|delete|head|options|all|route|register)\s*[(<]/.test(
        readFileSync(join(root, file), 'utf8'),
      ),
    )
  const known = [
    'features/feedback/pictures.routes.ts',
    'features/personal-data/data-export.routes.ts',
    'features/profile/avatar.routes.ts',
    'features/site/site-pictures.routes.ts',
    'features/users/user-export.routes.ts',
    'http/events.ts',
    'http/health.ts',
    'http/navigation.ts',
    'http/openapi.ts',
    'http/serve.ts',
    'http/upload.ts',
  ]
  expect(adds.sort()).toEqual(known.map((file) => `apps/server/src/${file}`))
  const [site] = await t.sites(1)
  if (!site) throw new Error('no site')
  const browser = t.browser(site)
  for (const { path } of allEndpoints) expect((await browser.post(path, '[]')).status, path).not.toBe(404)
  for (const { path } of allNavigations) expect((await browser.get(path)).status, path).toBe(302)
})
