import { logout } from '@hufu/contract/login'
import { answerDevice, deviceGrant, oidcPaths } from '@hufu/contract/oidc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { deviceClients } from '../../apps/server/test/device.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { postForm, userinfo } from '../harness/oidc.ts'

let t: Harness
let site: TestSite
let ids: UserId[]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ clients: deviceClients })
  ids = [(await t.user(site)).id, (await t.user(site)).id]
})
afterAll(() => t.close())

/** What must be so, derived from the steps alone. */
interface Walk {
  users: (User & { out?: boolean })[]
  device: { device_code: string; user_code: string }
  decided?: { by: User; accept: boolean } | undefined
  /** The session that approved it has ended since. */
  ended: boolean
  expired: boolean
  taken: boolean
  tokens: number
  log: string[]
}

type Step = (walk: Walk) => Promise<void>

function decide(who: 0 | 1, accept: boolean): Step {
  return async (walk) => {
    const user = walk.users[who]
    if (!user) return
    const { code } = await user.call(answerDevice, { userCode: walk.device.user_code, accept })
    expect(code, walk.log.join(' ')).toBe(refusal(walk, user, accept))
    if (code === undefined) walk.decided ??= { by: user, accept }
  }
}

function refusal({ decided, expired, ended }: Walk, user: User & { out?: boolean }, accept: boolean) {
  if (user.out) return 'NOT_LOGGED_IN'
  // The end of the session took the approval along, and with it what the code led to.
  if (expired || (ended && decided?.accept)) return 'DEVICE_CODE_WRONG'
  if (!decided) return undefined
  return decided.by === user && decided.accept === accept ? undefined : 'LOGIN_REQUEST_DONE'
}

function signOut(who: 0 | 1): Step {
  return async (walk) => {
    const user = walk.users[who]
    if (!user || user.out) return
    await user.call(logout)
    user.out = true
    if (walk.decided?.by === user) walk.ended = true
  }
}

const expire: Step = async (walk) => {
  const { rows } = await t.deps.pool.query<{ hash: Buffer }>(
    `UPDATE oidc_item SET expires_at = clock_timestamp() WHERE site_id = $1 AND
      (hash = sha256($2::bytea) OR hash = sha256($3::bytea)) RETURNING hash`,
    [site.id, Buffer.from(walk.device.device_code), Buffer.from(walk.device.user_code.replace('-', ''))],
  )
  if (rows.length > 0) walk.expired = true
}

const poll: Step = async (walk) => {
  const { device_code } = walk.device
  const { status, json } = await postForm(site, oidcPaths.token, {
    grant_type: deviceGrant,
    client_id: 'tv',
    device_code,
  })
  expect(status === 200, `${walk.log.join(' ')}: ${json.error}`).toBe(
    walk.decided?.accept === true && !walk.expired && !walk.ended && !walk.taken,
  )
  if (status !== 200) return
  walk.taken = true
  walk.tokens++
  expect((await userinfo(site, json.access_token)).json.sub, walk.log.join(' ')).toBe(walk.decided?.by.id)
}

const steps: Record<string, Step> = {
  approve0: decide(0, true),
  approve1: decide(1, true),
  reject0: decide(0, false),
  signOut0: signOut(0),
  expire,
  poll,
}

async function walkThrough(names: string[]): Promise<number> {
  const asked = await postForm(site, oidcPaths.deviceAuthorization, { client_id: 'tv', scope: 'openid' })
  const walk: Walk = {
    users: await Promise.all(ids.map((id) => t.session(site, id))),
    device: asked.json as unknown as Walk['device'],
    ended: false,
    expired: false,
    taken: false,
    tokens: 0,
    log: [],
  }
  // A step that waits would be told to slow down; what it gets is asked for in the end as well.
  for (const name of [...names, 'poll']) {
    walk.log.push(name)
    await steps[name]?.(walk)
  }
  return walk.tokens
}

function words(length: number): string[][] {
  if (length === 0) return [[]]
  return words(length - 1).flatMap((word) => Object.keys(steps).map((letter) => [...word, letter]))
}

test('A14 in no order of deciding, signing out, expiring and polling is a device signed in without a standing approval', async () => {
  const depth = few(4, 3)
  const all = words(depth)
  const tokens = await together(all.length, 16, (index) => walkThrough(all[index] ?? []))
  const signedIn = tokens.filter((count) => count > 0).length
  console.log(`A14 device: all ${all.length} orders of ${depth} steps: ${signedIn} end signed in`)
  expect(signedIn).toBeGreaterThan(0)
  figure('tokens that one approval gave, at most', Math.max(...tokens), ['=', 1])
  figure(`device: of all orders of ${depth} steps went as the model says`, tokens.length, ['=', 6 ** depth])
})
