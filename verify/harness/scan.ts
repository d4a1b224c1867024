import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { type Browser, type BrowserOptions, freshAddress, type Harness } from './harness.ts'

export interface Waiting {
  browser: Browser
  request: { id: string; time: number; ip: string }
  /** The name of the cookie that holds this browser's secret. */
  cookie: string
}

/** A browser that shows a code. */
export async function showCode(t: Harness, site: TestSite, options: BrowserOptions = {}): Promise<Waiting> {
  const browser = t.browser(site, options)
  const { data, status, body } = await browser.call(createScanRequest)
  if (!data) throw new Error(`no request was made: ${status} ${body}`)
  const { id, time, ip } = data
  return { browser, request: { id, time, ip }, cookie: `__Host-hufu-scan-${id}` }
}

export const check = ({ browser, request }: Pick<Waiting, 'browser' | 'request'>) =>
  browser.call(checkScanRequest, request)

/** From a new address each time, so that no limit is reached by chance. */
export const decide = (user: Browser, request: Waiting['request'], status: 0 | 1 | 2) =>
  user.call(processScanRequest, { ...request, status }, freshAddress())

export const hasSession = ({ cookies }: Browser): boolean => cookies.has('__Host-hufu')

/** Lets a request expire. */
export const expire = (t: Harness, site: TestSite, { id }: Waiting['request']) =>
  t.deps.cache.del(`{scan:${site.id}:${id}}`)
