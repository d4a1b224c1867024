import { globSync } from 'node:fs'
import { meta } from '@hufu/contract/site'
import { inject } from 'vitest'
import { createDatabase } from '../../apps/server/test/test-app.ts'
import { startApi } from '../harness/environment.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { send } from '../harness/http.ts'

/** Clock offset of each process from the stores, in seconds. */
const ahead = { right: 0, fast: 300, slow: -300 }

export interface WrongClocks {
  urls: string[]
  t: Harness
  /** How far the clock of each process is from ours, in seconds, as its own answers are dated. */
  shifts(): Promise<number[]>
  stop(): Promise<void>
}

/** For a process whose machine's clock is so far off. */
export function fakeTime(seconds: number): Record<string, string> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (!library) throw new Error('missing: apt-get install -y --no-install-recommends faketime')
  if (seconds === 0) return {}
  // Durations are right; only the time of day is wrong.
  return { LD_PRELOAD: library, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

/** Three processes on the same stores, one of them with a right clock, one five minutes ahead and one behind. */
export async function startWrongClocks(): Promise<WrongClocks> {
  const environment = { ...inject('environment'), HUFU_DATABASE_URL: await createDatabase() }
  const apis = await Promise.all(
    Object.values(ahead).map((seconds) => startApi({ ...environment, ...fakeTime(seconds) }, inject('logFolder'))),
  )
  const urls = apis.map(({ url }) => url)
  const t = await openHarness(environment, urls)
  const shiftOf = async (url: string) => {
    const { headers } = await send(url, { path: meta.path, headers: { host: 'unknown.example.com' } })
    return (Date.parse(headers.date ?? '') - Date.now()) / 1_000
  }
  async function stop() {
    await t.close()
    await Promise.all(apis.map((api) => api.stop()))
  }
  return { urls, t, shifts: () => Promise.all(urls.map(shiftOf)), stop }
}
