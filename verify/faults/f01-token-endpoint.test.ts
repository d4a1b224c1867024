import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { startApi } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { authorize, exchange, refresh, tokensOf, userinfo, withClients } from '../harness/oidc.ts'
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

/** Whether a process waits for the lock that the test holds: it has spent the token and not yet issued another. */
async function waits(): Promise<boolean> {
  const { rows } = await t.deps.pool.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%authorized_client%'
      AND datname = current_database()`,
  )
  return rows[0].n > 0
}

test('F01 a process killed between spending a token and issuing the next costs the client nothing', async () => {
  const survivor = urls[0] ?? ''
  const lost = { refreshes: 0, codes: 0 }
  let kills = 0
  for (let round = 0; round < few(10, 2); round++) {
    const user = await t.session(site, (await t.user(site, { password: undefined })).id)
    const { refresh_token } = await tokensOf(site, user, 'shop', 'openid profile', [survivor])
    const second = await t.session(site, (await t.user(site, { password: undefined })).id)
    const led = await authorize(second)
    // `last_at` is refreshed hourly: it is due.
    await t.deps.pool.query("UPDATE authorized_client SET last_at = last_at - interval '2 hours' WHERE user_id = $1", [
      user.id,
    ])
    const doomed = await startApi(product.environment, inject('logFolder'))
    await sleep(200)
    const holder = await t.deps.pool.connect()
    await holder.query('BEGIN')
    await holder.query('LOCK TABLE authorized_client IN SHARE MODE')
    const unanswered = [
      refresh(site, refresh_token, {}, { urls: [doomed.url] }).then(
        ({ status }) => status,
        () => 'lost',
      ),
      exchange(site, led, {}, { urls: [doomed.url] }).then(
        ({ status }) => status,
        () => 'lost',
      ),
    ]
    await expect.poll(waits, { timeout: 20_000, interval: 50 }).toBe(true)
    await sleep(300)
    await doomed.kill()
    kills++
    expect(await Promise.all(unanswered)).toEqual(['lost', 'lost'])
    await holder.query('ROLLBACK')
    holder.release()
    await sleep(300)
    const again = await refresh(site, refresh_token, {}, { urls: [survivor] })
    if (again.status !== 200) lost.refreshes++
    const exchanged = await exchange(site, led, {}, { urls: [survivor] })
    if (exchanged.status !== 200) lost.codes++
    expect((await userinfo(site, again.json.access_token, [survivor])).status).toBe(200)
  }
  figure('processes killed in the middle of an exchange', kills, ['=', few(10, 2)])
  figure('refresh tokens lost', lost.refreshes, ['=', 0])
  figure('codes lost', lost.codes, ['=', 0])
})

test('F01 what one process begins another goes on with, at every step', async () => {
  const [one = '', other = ''] = urls
  const outcomes: number[] = []
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const session = await t.session(site, (await t.user(site, { password: undefined })).id, { urls: [first] })
    const led = await authorize(session)
    const tokens = await exchange(site, led, {}, { urls: [second] })
    const renewed = await refresh(site, tokens.json.refresh_token, {}, { urls: [first] })
    const info = await userinfo(site, renewed.json.access_token, [second])
    outcomes.push(tokens.status, renewed.status, info.status)
  }
  expect(outcomes).toEqual(times(6, () => 200))
  figure('steps that failed at the other process', outcomes.filter((status) => status !== 200).length, ['=', 0])
})
