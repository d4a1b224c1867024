import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pages } from '@hufu/contract/pages'
import { inject } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { startApi } from '../harness/environment.ts'
import { send } from '../harness/http.ts'

export interface PagesServer {
  url: string
  stop(): Promise<void>
}

/** A process that also serves the one document of the product, unbuilt: who receives it matters here, not what it runs. */
export async function startWithPages(site: TestSite): Promise<PagesServer> {
  const folder = makeTemporaryFolder('pages')
  copyFileSync(join(import.meta.dirname, '../../apps/web/index.html'), join(folder, 'index.html'))
  const api = await startApi({ ...inject('environment'), HUFU_WEB_FOLDER: folder }, inject('logFolder'))
  async function stop() {
    await api.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  const answered = async () =>
    (await send(api.url, { path: pages.home, method: 'GET', headers: { host: site.host } })).status
  for (let waited = 0; (await answered()) !== 200; waited += 50) {
    if (waited > 60_000) throw new Error('the pages are not served')
    await sleep(50)
  }
  return { url: api.url, stop }
}
