import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createDatabase, type TestSite, times } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from '../attacks/ground.ts'
import { few, type Harness, openHarness } from '../attacks/harness.ts'
import { beginTalks, disagreements, keepTalking, toldOf } from './message-ledger.ts'

/** A database and processes of its own, so that what is counted in the end is what was done here. */
let environment: Record<string, string>
let apis: Api[]
let t: Harness
let site: TestSite
beforeAll(async () => {
  environment = { ...inject('environment'), HUFU_DATABASE_URL: await createDatabase() }
  apis = await Promise.all(times(2, () => startApi(environment, inject('logFolder'))))
  t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
  site = await t.codeSite()
})
afterAll(async () => {
  await t.close()
  await Promise.all(apis.map((api) => api.stop()))
})

const kills = few(50, 6)

async function keepKilling(): Promise<void> {
  for (let round = 0; round < kills; round++) {
    await sleep(150 + Math.random() * 250)
    const at = round % apis.length
    const api = apis[at] as Api
    await api.kill()
    apis[at] = await startApi(environment, inject('logFolder'), Number(new URL(api.url).port))
  }
}

test('F01 processes killed in the middle lose no acknowledged message, double none and keep the order', async () => {
  const talkers = await beginTalks(t, site, { people: 6 })
  const ledger = keepTalking(talkers)
  await keepKilling()
  await ledger.stop()
  const wrong = await disagreements(t, site, talkers)
  console.log(`F01: ${kills} kills: ${toldOf(ledger.told)}; ${wrong.length} wrong`)
  expect(wrong).toEqual([])
  expect(ledger.told.acknowledged).toBeGreaterThan(kills * 10)
  expect(ledger.told.lost, 'answers were lost, or nothing was tried').toBeGreaterThan(0)
}, 480_000)
