import { type Endpoint, requestOf } from '@hufu/contract/endpoint'
import { oidcPaths } from '@hufu/contract/oidc'
import { secretOf } from '../../apps/server/test/oidc.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { freshAddress, nextUrl } from './harness.ts'
import { type Reply, send } from './http.ts'

type Headers = Record<string, string>

export interface MachineReply extends Reply {
  // biome-ignore lint/suspicious/noExplicitAny: each answer has its own
  data: any
  code: string | undefined
}

function parsed(reply: Reply): MachineReply {
  const { data, code } = reply.body.startsWith('{') ? JSON.parse(reply.body) : {}
  return { ...reply, data, code }
}

/** Asks for a token, as a server does. */
export async function askToken(
  site: TestSite,
  id: string,
  params: Headers = {},
  secret = secretOf(id),
): Promise<{ status: number; access_token?: string; error?: string; scope?: string }> {
  const { status, body } = await send(nextUrl(), {
    path: oidcPaths.token,
    headers: {
      host: site.host,
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'x-forwarded-for': freshAddress(),
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...params }).toString(),
  })
  return { status, ...JSON.parse(body) }
}

export async function tokenOf(site: TestSite, id: string, scope?: string): Promise<string> {
  const { access_token: token, error } = await askToken(site, id, scope === undefined ? {} : { scope })
  if (!token) throw new Error(`no token for ${id}: ${error}`)
  return token
}

export interface RawCall {
  path: string
  method: string
  body?: string | undefined
  headers?: Headers
  url?: string
}

/** A call with a token and any headers, at one of the processes in turn. */
export async function callRaw(
  site: TestSite,
  token: string | undefined,
  { path, method, body = '', headers = {}, url = nextUrl() }: RawCall,
): Promise<MachineReply> {
  const own = {
    host: site.host,
    'x-forwarded-for': freshAddress(),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(method === 'POST' && { 'content-type': 'application/json' }),
  }
  return parsed(await send(url, { path, method, body, headers: { ...own, ...headers } }))
}

export async function callAsMachine(
  site: TestSite,
  token: string | undefined,
  endpoint: Endpoint,
  input: object,
  more: { headers?: Headers; url?: string } = {},
): Promise<MachineReply> {
  const { url: path, body } = requestOf(endpoint, input)
  return await callRaw(site, token, { path, method: endpoint.method, body: body && JSON.stringify(body), ...more })
}
