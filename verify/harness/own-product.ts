import { inject } from 'vitest'
import { createDatabase, times } from '../../apps/server/test/test-app.ts'
import { type Api, startApi } from './environment.ts'
import { type Harness, openHarness } from './harness.ts'

export interface OwnProduct {
  environment: Record<string, string>
  apis: Api[]
  t: Harness
  stop(): Promise<void>
}

/** A dedicated database and two processes: what dies here disturbs no other test, and what is counted was done here. */
export async function startOwnProduct(own: Record<string, string> = {}): Promise<OwnProduct> {
  const environment = { ...inject('environment'), HUFU_DATABASE_URL: await createDatabase(), ...own }
  const apis = await Promise.all(times(2, () => startApi(environment, inject('logFolder'))))
  const t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
  async function stop() {
    await t.close()
    await Promise.all(apis.map((api) => api.stop()))
  }
  return { environment, apis, t, stop }
}
