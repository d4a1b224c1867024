import { removeOtherDevices } from '@hufu/contract/devices'
import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { authorize, exchange, type Led, newRequest, withClients } from '../harness/oidc.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite(withClients())
})
afterAll(() => t.close())

const newSession = async () => await t.session(site, (await t.user(site, { password: undefined })).id)

/** A browser that comes back to the client: the client compares the state, then exchanges with what it has remembered. */
async function arrive(mine: Led['asked'], { code, state }: { code: string; state: string }): Promise<boolean> {
  if (state !== mine.state) return false
  return (await exchange(site, { asked: mine, code, status: 303, to: new URL('https://none.invalid') })).status === 200
}

test("A49 a victim's code of OpenID Connect in another browser is refused, and spent", async () => {
  let taken = 0
  const rounds = few(20, 4)
  for (let round = 0; round < rounds; round++) {
    for (const client of ['shop', 'page']) {
      const { asked, code } = await authorize(await newSession(), client)
      const thief = newRequest(client)
      if (await arrive(thief, { code, state: asked.state })) taken++
      if (await arrive(thief, { code, state: thief.state })) taken++
      // The client that was tricked has used the code: its owner starts again.
      if (await arrive(asked, { code, state: asked.state })) taken++
    }
  }
  figure(`of ${6 * rounds} uses of an injected code`, taken, ['=', 0])
  const honest = await authorize(await newSession())
  expect(await arrive(honest.asked, { code: honest.code, state: honest.asked.state }), 'the honest way').toBe(true)
})

test('A49 a code of OpenID Connect ends with its session, also where the tokens would not', async () => {
  const ends: Record<string, (user: User) => Promise<{ status: number }>> = {
    'signing out': (user) => user.call(logout),
    'being removed': async (user) => (await t.session(site, user.id)).call(removeOtherDevices),
    'being idle for too long': async (user) => {
      const text = "UPDATE session_access SET last_access = now() - interval '31 days' WHERE session_id = $1"
      await t.deps.pool.query(text, [sessionOf(user)])
      return { status: 200 }
    },
  }
  const alive: string[] = []
  for (const scope of ['openid', 'openid offline_access'])
    for (const [name, end] of Object.entries(ends)) {
      const user = await newSession()
      const led = await authorize(user, 'shop', { scope, prompt: 'consent' })
      expect(led.code).not.toBe('')
      expect((await end(user)).status, name).toBe(200)
      if ((await exchange(site, led)).status === 200) alive.push(`${name}, ${scope}`)
    }
  expect(alive).toEqual([])
  figure(`of ${2 * Object.keys(ends).length} ends of a session that a code outlives`, alive.length, ['=', 0])
})

test('A49 a code is exchanged for its own return address alone, and is spent by another', async () => {
  const addresses = [
    'https://shop.example.com/callback/',
    'https://shop.example.com/other',
    'https://shop.example.com:444/callback',
    'http://shop.example.com/callback',
    'https://books.example.com/callback',
    '',
  ]
  const taken: string[] = []
  for (const redirect_uri of addresses) {
    const led = await authorize(await newSession())
    if ((await exchange(site, led, { redirect_uri })).status === 200) taken.push(redirect_uri)
    if ((await exchange(site, led)).status === 200) taken.push(`${redirect_uri}: not spent`)
  }
  expect(taken).toEqual([])
  figure(`of ${addresses.length} other addresses at an exchange`, taken.length, ['=', 0])
})
