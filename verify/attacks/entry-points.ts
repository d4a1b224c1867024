import type { Endpoint } from '@hufu/contract/endpoint'
import { eventsPath } from '@hufu/contract/events'
import { logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { expect, inject } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { type Browser, freshAddress, type Harness } from '../harness/harness.ts'
import { openStream } from '../harness/stream.ts'
import { files } from './files.ts'
import { allEndpoints, allNavigations, bodyFor } from './samples.ts'

/** What a browser receives at one entry point. */
export interface Met {
  entryPoint: string
  status: number
  code: string | undefined
  /** Where it is led to. */
  location: string | undefined
}

/** The same browser at one process alone, from somewhere else each time. */
function standIn(t: Harness, site: TestSite, { cookies }: Browser, url: string): Browser {
  const browser = t.browser(site, { urls: [url], address: freshAddress() })
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

/** Waits until every process refuses the browser with this code; a test that measures the duration runs without other load. */
export const refusedEverywhere = (t: Harness, site: TestSite, browser: Browser, refusal: string): Promise<void> => {
  const codes = () =>
    Promise.all(inject('apiUrls').map(async (url) => (await standIn(t, site, browser, url).call(userInfo)).code))
  const timeout = { timeout: 1_500 * leeway, interval: 20 }
  return expect.poll(codes, timeout).toEqual(inject('apiUrls').map(() => refusal))
}

const isLogout = ({ path }: Endpoint) => path === logout.path

type Request = (own: Browser) => ReturnType<Browser['get']>

const calls = allEndpoints.filter(({ access }) => access !== 'public' && access !== 'client')
/** The stream stays open and is asked for apart. */
const closed = files.filter(({ path, access }) => path !== eventsPath && access !== 'public')

/** Every call that isn't public, every file and every navigation; signing out comes last, because it ends the session. */
const entryPoints = (picture: string): [entryPoint: string, request: Request][] => [
  ...closed.map(({ path }): [string, Request] => [
    path,
    (own) => own.get(`${path}?id=${picture}`, { 'if-none-match': `"${picture}"` }),
  ]),
  ...allNavigations.map(({ path }): [string, Request] => [path, (own) => own.get(`${path}?ticket=x`)]),
  ...calls
    .toSorted((one, other) => Number(isLogout(one)) - Number(isLogout(other)))
    .map((endpoint): [string, Request] => {
      const { body, headers } = bodyFor(endpoint)
      return [endpoint.path, (own) => own.post(endpoint.path, body, headers)]
    }),
]

/** Calls all of them at every process. */
export async function tryEverywhere(t: Harness, site: TestSite, browser: Browser, picture = ''): Promise<Met[]> {
  const met: Met[] = []
  for (const url of inject('apiUrls')) {
    const stream = await openStream(site, browser, url)
    stream.close()
    met.push({ entryPoint: eventsPath, status: stream.status, code: undefined, location: undefined })
  }
  for (const [entryPoint, request] of entryPoints(picture)) {
    for (const url of inject('apiUrls')) {
      const { status, code, headers } = await request(standIn(t, site, browser, url))
      met.push({ entryPoint, status, code, location: headers.location })
    }
  }
  return met
}

const personal = allNavigations.filter(({ path }) => path.startsWith('/api/user/')).map(({ path }) => path as string)

/** The entry points that admitted a browser whose session has ended. */
export const admitted = (met: Met[]): string[] =>
  met
    .filter(({ entryPoint, status, location }) => {
      if (personal.includes(entryPoint)) return location !== '/user'
      return status !== 401 && !allNavigations.some(({ path }) => path === entryPoint)
    })
    .map(({ entryPoint, status, code }) => `${entryPoint} → ${status} ${code}`)
