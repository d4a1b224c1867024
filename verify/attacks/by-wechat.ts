import { wechatTicket } from '@hufu/contract/wechat'
import { returnFromWechat } from '../../apps/server/test/wechat-phone.ts'
import type { Browser } from '../harness/harness.ts'

/** Where WeChat would send the browser back to, as that user of WeChat. */
export async function setOut(browser: Browser, path: string, user: string): Promise<string> {
  const { headers, status } = await browser.get(path)
  const away = String(headers.location)
  if (!away.includes('/connect/oauth2/authorize')) throw new Error(`not led to WeChat: ${status} ${away}`)
  const { pathname, search } = await returnFromWechat(away, user)
  return pathname + search
}

/** Returns from WeChat; answers where the browser is redirected then. */
export const comeBack = async (browser: Browser, back: string): Promise<string> =>
  String((await browser.get(back, { 'sec-fetch-site': 'cross-site' })).headers.location)

/** The whole redirect to WeChat and back. */
export const throughWechat = async (browser: Browser, path: string, user: string): Promise<string> =>
  await comeBack(browser, await setOut(browser, path, user))

/** The address of an action with WeChat of a signed-in user. */
export async function wechatAction(browser: Browser, action: 'binding' | 'unbinding' | 'info' | 'check') {
  return `/api/user/wechat/${action}?ticket=${(await browser.call(wechatTicket)).data}`
}
