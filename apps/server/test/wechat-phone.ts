import { randomBytes } from 'node:crypto'
import { wechatTicket } from '@hufu/contract/wechat'
import { inject } from 'vitest'
import type { TestBrowser } from './test-app.ts'

export type WechatAccount = {
  appId: string
  secret: string
}

/** Sets the behaviour of the simulated WeChat for an account; see tools/simulators/wechat-apps.ts. */
export async function orderWechat(account: WechatAccount, order: object): Promise<void> {
  const body = JSON.stringify({ appId: account.appId, ...order })
  const answer = await fetch(`${inject('wechatUrl')}/control`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`the simulated WeChat doesn't take ${body}`)
}

/** An official account that no other test meets, for a site's config. */
export async function newWechat(): Promise<WechatAccount> {
  const account = { appId: `wx${randomBytes(8).toString('hex')}`, secret: randomBytes(16).toString('hex') }
  await orderWechat(account, account)
  return account
}

interface WechatState {
  /** How often the account's calls have been made, by path. */
  counts: Record<string, number>
  /** How many different access tokens it has been given. */
  issued: number
}

export async function wechatState({ appId }: WechatAccount): Promise<WechatState> {
  const answer = await fetch(`${inject('wechatUrl')}/control?appid=${appId}`)
  return ((await answer.json()) as { data: WechatState }).data
}

export const wechatCounts = async (account: WechatAccount) => (await wechatState(account)).counts

/** Where WeChat sends the browser after the user has agreed, or 拒绝 was tapped (`refuse`). */
export async function returnFromWechat(address: string, user: string): Promise<URL> {
  const url = new URL(address)
  url.searchParams.set('person', user)
  const answer = await fetch(url, { redirect: 'manual' })
  const back = answer.headers.get('location')
  if (!back) throw new Error(`WeChat shows an error: ${/role="alert">([^<]*)/.exec(await answer.text())?.[1]}`)
  return new URL(back)
}

/** Through WeChat as that user, and where the browser ends up. */
export async function through(browser: TestBrowser, address: string, user: string): Promise<string> {
  const away = await browser.go(address)
  if (!away.includes('/connect/oauth2/authorize')) return away
  const back = await returnFromWechat(away, user)
  return await browser.go(back.href, { 'sec-fetch-site': 'cross-site' })
}

/** The address of a signed-in user's action with WeChat, with the ticket that it needs. */
export async function personal(browser: TestBrowser, action: string, source = '/user'): Promise<string> {
  const { data } = await browser.call(wechatTicket)
  return `/api/user/wechat/${action}?source=${encodeURIComponent(source)}&ticket=${data}`
}

/** The user's openid at the account. */
export async function openidOf({ appId, secret }: WechatAccount, user: string): Promise<string> {
  const wish = { appid: appId, redirect_uri: 'https://a.example/', response_type: 'code', scope: 'snsapi_base' }
  const back = await returnFromWechat(
    `${inject('wechatUrl')}/connect/oauth2/authorize?${new URLSearchParams(wish)}`,
    user,
  )
  const code = back.searchParams.get('code') ?? ''
  const query = new URLSearchParams({ appid: appId, secret, code, grant_type: 'authorization_code' })
  const answer = await fetch(`${inject('wechatUrl')}/sns/oauth2/access_token?${query}`)
  return ((await answer.json()) as { openid: string }).openid
}
