import { setTimeout as sleep } from 'node:timers/promises'
import { oidcPaths } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateSigningKeys } from '../../apps/server/src/features/oidc/keys.ts'
import { type IdTokenVerifier, idTokenVerifier } from '../../apps/server/test/id-token-verifier.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, freshAddress, nextUrl } from '../harness/harness.ts'
import { send } from '../harness/http.ts'
import { refresh, tokensOf, withClients } from '../harness/oidc.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'

let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
let urls: string[]
beforeAll(async () => {
  product = await startOwnProduct()
  ;({ t } = product)
  urls = product.apis.map(({ url }) => url)
  site = await t.codeSite(withClients())
})
afterAll(() => product.stop())

let fetched = 0

/** Asks the two processes in turn, as a load balancer would. */
const fetchKeys = (async () => {
  fetched++
  const headers = { host: site.host, 'x-forwarded-for': freshAddress() }
  const { status, body } = await send(nextUrl(urls), { path: oidcPaths.jwks, method: 'GET', headers })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}) as unknown as typeof fetch

const never = 3_600_000

/** One that asks whenever it must; one that keeps the keys for max-age; one that asks for every token. */
const newVerifiers = (): Record<string, IdTokenVerifier> => {
  const client = { origin: site.origin, client: 'shop' }
  return {
    'asks for unknown keys': idTokenVerifier(client, fetchKeys),
    'keeps the keys for max-age': idTokenVerifier(client, fetchKeys, { cooldown: never }),
    'asks every time': idTokenVerifier(client, fetchKeys, { maxAge: 0, cooldown: 0 }),
  }
}

let verifiers: Record<string, IdTokenVerifier>
const seen = { tokens: 0, verified: 0, kids: new Set<string>(), wrong: [] as string[] }
/** The newest tokens: each is verified again after the next rotation, within its life. */
let recent: string[] = []

async function verify(token: string): Promise<void> {
  for (const [name, verifier] of Object.entries(verifiers)) {
    try {
      seen.kids.add(await verifier.verify(token))
      seen.verified++
    } catch (error) {
      seen.wrong.push(`${name}: ${error}`)
    }
  }
}

/** A user whose client refreshes so many times a second. */
async function goOn(pause: number, stopped: () => boolean): Promise<void> {
  const user = await t.session(site, (await t.user(site, { password: undefined })).id)
  let { refresh_token } = await tokensOf(site, user, 'shop', 'openid profile', urls)
  for (let due = performance.now(); !stopped(); due += pause) {
    await sleep(Math.max(0, due - performance.now()))
    const { status, json, body } = await refresh(site, refresh_token, {}, { urls })
    if (status !== 200 || !json.id_token) {
      seen.wrong.push(`refresh: ${status} ${body}`)
      return
    }
    refresh_token = json.refresh_token
    seen.tokens++
    recent = [...recent.slice(-50), json.id_token]
    await verify(json.id_token)
  }
}

/** The ten minutes for which the next key is published before it signs; by then no client has kept what it knew before. */
async function passTenMinutes(): Promise<void> {
  await t.deps.pool.query(
    "UPDATE oidc_key SET created_at = created_at - interval '11 minutes', staged_at = staged_at - interval '11 minutes' WHERE site_id = $1",
    [site.id],
  )
  verifiers = newVerifiers()
}

test('F18 three rotations under load: every ID token verifies, whichever keys a client keeps', async () => {
  const [users, rate, between] = [20, few(100, 30), few(10_000, 4_000)]
  verifiers = newVerifiers()
  let stopped = false
  const from = performance.now()
  const load = Promise.all(times(users, () => goOn((1_000 * users) / rate, () => stopped)))
  await sleep(between)
  for (let round = 0; round < 3; round++) {
    await expect(rotateSigningKeys(t.deps, site.id, undefined)).rejects.toThrow('less than ten minutes ago')
    await passTenMinutes()
    // Each keeps the keys that it finds now, from before the rotation.
    for (const token of recent) await verify(token)
    const before = [...recent]
    await rotateSigningKeys(t.deps, site.id, undefined)
    await sleep(between / 2)
    for (const token of before) await verify(token)
    await sleep(between / 2)
  }
  stopped = true
  await load
  const seconds = (performance.now() - from) / 1_000
  console.log(
    `F18: ${seen.tokens} tokens in ${seconds.toFixed(1)} s, ${seen.verified} verified, keys asked for ${fetched} times`,
  )
  expect(seen.wrong.slice(0, 5)).toEqual([])
  figure('failed refreshes and verifications', seen.wrong.length, ['=', 0])
  figure('signing keys seen', seen.kids.size, ['=', 4])
  figure('ID tokens issued', seen.tokens / seconds, ['>=', (0.9 * rate) / leeway], '/s')
}, 600_000)

test('F18 every process signs with the new key within a second of a rotation', async () => {
  const user = await t.session(site, (await t.user(site, { password: undefined })).id)
  let { refresh_token, id_token = '' } = await tokensOf(site, user, 'shop', 'openid profile', urls)
  verifiers = newVerifiers()
  const own = idTokenVerifier({ origin: site.origin, client: 'shop' }, fetchKeys, { maxAge: 0, cooldown: 0 })
  const old = await own.verify(id_token)
  await passTenMinutes()
  await rotateSigningKeys(t.deps, site.id, undefined)
  const from = performance.now()
  let followed = 0
  for (const url of urls) {
    for (let kid = old; kid === old && performance.now() - from < 10_000; ) {
      const { json } = await refresh(site, refresh_token, {}, { urls: [url] })
      ;({ refresh_token, id_token = '' } = json)
      kid = await own.verify(id_token)
      followed = performance.now() - from
    }
  }
  figure('until both processes sign with the new key', followed, ['<=', 1_000 * leeway], 'ms')
})
