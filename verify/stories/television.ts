import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SiteConfig } from '@hufu/contract/site'
import * as openid from 'openid-client'
import { encode } from 'uqr'
import type { StorySite } from './fixtures.ts'
import { fetchByAddress } from './relying-party.ts'

type Client = NonNullable<SiteConfig['clients']>[number]

/** What televisions run: an application of the brand itself, and one of others. */
export const televisionClients: Client[] = [
  { id: 'cinema', name: '客厅影院', kind: 'native', firstParty: true, device: true, scopes: [{ name: 'profile' }] },
  {
    id: 'music',
    name: '海风音乐',
    kind: 'native',
    device: true,
    scopes: [{ name: 'profile', required: true, reason: '用于显示您的昵称' }, { name: 'phone' }],
  },
]

const scopes: Record<string, string> = { cinema: 'openid profile', music: 'openid profile phone' }

interface Shown {
  device?: openid.DeviceAuthorizationResponse
  /** The user, or why there is none. */
  outcome?: string
  phone?: string | undefined
}

/** Dark modules as the pages of the product draw them, so that the same reader takes them. */
function qrOf(content: string): string {
  const { size, data } = encode(content, { ecc: 'H', border: 2 })
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? `M${x} ${y}h1v1H${x}z` : [])))
  return `<svg role="img" aria-label="登录二维码" width="300" height="300" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${dark.join('')}"/></svg>`
}

const follow = `<script>setInterval(async () => {
  const words = await (await fetch('/outcome')).text()
  if (words) document.querySelector('main').innerHTML = '<h1>' + words + '</h1>'
}, 200)</script>`

const page = (response: ServerResponse, main: string) =>
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(`<!doctype html><meta charset="utf-8"><title>电视</title><main>${main}</main>${follow}`)

/** A television: its page asks for a sign-in whenever it is opened, shows the QR code and the code, and waits. */
export async function startTelevision(site: StorySite, id: string) {
  const config = await openid.discovery(new URL(site.url), id, undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: fetchByAddress as never,
  })
  let shown: Shown = {}
  const left = new AbortController()

  async function wait(device: openid.DeviceAuthorizationResponse, own: Shown) {
    try {
      const tokens = await openid.pollDeviceAuthorizationGrant(config, device, undefined, { signal: left.signal })
      const info = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
      Object.assign(own, { outcome: `你好，${info.nickname}`, phone: info.phone_number })
    } catch (error) {
      own.outcome = (error as { error?: string }).error ?? String(error)
    }
  }

  async function ask(response: ServerResponse) {
    const device = await openid.initiateDeviceAuthorization(config, {
      scope: scopes[id] ?? 'openid',
    })
    shown = { device }
    void wait(device, shown)
    page(response, `${qrOf(device.verification_uri_complete ?? '')}<p>${device.user_code}</p>`)
  }

  const server = createServer((incoming, response) => {
    if (incoming.url === '/outcome') return response.end(shown.outcome ?? '')
    ask(response).catch((error) => page(response, `失败 ${error.code ?? error}`))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    shown: () => shown,
    async stop() {
      left.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
