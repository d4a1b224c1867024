import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

// A shop that signs its users in through the account centre: all that an integrator must write. See docs/integrating.md.

export interface Settings {
  /** Where this site listens; on any free port unless given. */
  port?: number
  /** The account centre as browsers know it. */
  centre: string
  /** The same as this server reaches it, where that differs. */
  api?: string
  /** Both from the account centre's config. */
  client: string
  secret: string
}

interface User {
  id: string
  nickname: string | null
  avatar: string | null
}

interface Reply {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

const newSecret = () => randomBytes(32).toString('base64url')
const inHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const cookieOf = (request: IncomingMessage, name: string) =>
  new Map(request.headers.cookie?.split('; ').map((pair) => pair.split('=') as [string, string])).get(name) ?? ''

/** Over https also with `; Secure`. */
const keep = (name: string, value: string, seconds: number) =>
  `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}`

function isSame(given: string, kept: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept)]
  return a.length > 0 && a.length === b.length && timingSafeEqual(a, b)
}

const lead = (address: string, ...cookies: string[]): Reply => ({
  status: 303,
  headers: { Location: address, 'Set-Cookie': cookies, 'Cache-Control': 'no-store' },
  body: '',
})

const page = (status: number, body: string): Reply => ({
  status,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  body: `<!doctype html><html lang="zh-CN"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>海风书店</title><h1>海风书店</h1>${body}</html>`,
})

const failed = (status: number) => page(status, '<p>登录失败</p><a href="/login">重新登录</a>')

/** What a browser came back with, and what it had set out with. */
interface Came {
  ticket: string
  state: string
  code_verifier: string
}

/** Our server asks the account centre's, with the secret that no browser ever sees. */
async function exchange({ centre, api = centre, client, secret }: Settings, came: Came): Promise<User> {
  const response = await fetch(`${api}/api/authorize/exchange`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client, secret, ...came }),
    signal: AbortSignal.timeout(10_000),
  })
  const { data, code } = (await response.json()) as { data?: User; code?: string }
  if (!data) throw new Error(`the account centre refused: ${code}`)
  return data
}

/** Starts to listen; `stop` ends it. */
export async function startExampleSite(settings: Settings): Promise<{ url: string; stop(): Promise<void> }> {
  const users = new Map<string, User>()

  function home(request: IncomingMessage): Reply {
    const user = users.get(cookieOf(request, 'example-session'))
    if (!user) return page(200, '<p>未登录</p><a href="/login">登录</a>')
    const { id, nickname, avatar } = user
    const picture = avatar ? `<img src="${inHtml(avatar)}" alt="头像" width="64" height="64">` : ''
    const leave = '<form method="post" action="/logout"><button>退出</button></form>'
    return page(200, `${picture}<p>您好，${inHtml(nickname ?? '读者')}</p><p>${inHtml(id)}</p>${leave}`)
  }

  /** Off to the account centre; state and verifier tie what comes back to this browser. */
  function login(): Reply {
    const [state, verifier] = [newSecret(), newSecret()]
    const source = encodeURIComponent(`${url}/callback`)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = `state=${state}&code_challenge=${challenge}&code_challenge_method=S256`
    const address = `${settings.centre}/authorize/${source}?${asked}`
    return lead(address, keep('example-state', state, 600), keep('example-verifier', verifier, 600))
  }

  /** Back again: first the state, then the ticket, then a session of our own and an address without the ticket. */
  async function callback(request: IncomingMessage, query: URLSearchParams): Promise<Reply> {
    const state = query.get('state') ?? ''
    if (!isSame(state, cookieOf(request, 'example-state'))) return failed(400)
    const ticket = query.get('authorize') ?? ''
    const user = await exchange(settings, { ticket, state, code_verifier: cookieOf(request, 'example-verifier') })
    const session = newSecret()
    users.set(session, user)
    const over = [keep('example-state', '', 0), keep('example-verifier', '', 0)]
    return lead('/', ...over, keep('example-session', session, 86_400))
  }

  function logout(request: IncomingMessage): Reply {
    users.delete(cookieOf(request, 'example-session'))
    return lead('/', keep('example-session', '', 0))
  }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const asked = `${request.method} ${pathname}`
    if (asked === 'GET /') return home(request)
    if (asked === 'GET /login') return login()
    if (asked === 'GET /callback') return await callback(request, searchParams).catch(() => failed(502))
    if (asked === 'POST /logout') return logout(request)
    return page(404, '<p>没有这个页面</p>')
  }

  const server = createServer((request, response) => {
    void answer(request).then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
  })
  await new Promise<void>((resolve) => server.listen(settings.port ?? 0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
