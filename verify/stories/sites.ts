import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SiteConfig } from '@hufu/contract/site'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { demoLimits } from '../../tools/run/demo-site.ts'
import { demoMail, demoSms } from '../../tools/simulators/demo-gateways.ts'
import type { Ground } from './environment.ts'
import { type StorySite, storySite } from './story-site.ts'

/** How many sites are ready before a story asks for one. */
const ahead = 2

/** fetch won't send a Host of our choice, and the names of stories are known to the browser alone. */
const statusAt = (port: number, host: string, path: string) =>
  new Promise((resolve) => {
    const method = path.startsWith('/api/') ? 'POST' : 'GET'
    request({ port, host: '127.0.0.1', path, method, headers: { host } }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', resolve)
      .end()
  })

/** Waits until every process answers a host with the status: each looks for changed sites about once a second. */
async function everywhere(ports: number[], host: string, status: number, path = '/') {
  for (const port of ports) {
    for (let waited = 0; (await statusAt(port, host, path)) !== status; waited += 50) {
      if (waited > 20_000) throw new Error(`${host}${path} at port ${port} does not answer ${status}`)
      await sleep(50)
    }
  }
}

interface Prepared {
  id: SiteId
  url: string
  host: string
}

/** A pool of sites. Those without their own config are created ahead of time, so that no story waits for them. */
export function openSites(deps: Deps, { entrance, ports, smtpPort }: Pick<Ground, 'entrance' | 'ports' | 'smtpPort'>) {
  const { protocol, port } = new URL(entrance)
  const ready: Promise<Prepared>[] = []
  const usual = { name: '青屿生活', sms: demoSms, mail: demoMail(smtpPort), limits: demoLimits }

  async function prepare(config: SiteConfig): Promise<Prepared> {
    const host = `s${randomUUID().slice(0, 8)}.localhost`
    const url = `${protocol}//${host}:${port}`
    const id = await createSite(deps, { origin: url, config }, 'story')
    await everywhere(ports, host, 200)
    return { id, url, host }
  }

  function prepareAhead() {
    while (ready.length < ahead) {
      const next = prepare(usual)
      // The story that takes it sees the failure.
      next.catch(() => {})
      ready.push(next)
    }
  }

  async function take(): Promise<Prepared> {
    prepareAhead()
    const next = ready.shift() as Promise<Prepared>
    prepareAhead()
    return await next
  }

  return {
    async site(own?: SiteConfig): Promise<StorySite> {
      const config = { ...usual, ...own }
      const { id, url, host } = own ? await prepare(config) : await take()
      const closed = () => everywhere(ports, host, 503, '/api/meta')
      return storySite(deps, { id, origin: url, config }, closed)
    },
    async close() {
      await Promise.allSettled(ready)
    },
  }
}
