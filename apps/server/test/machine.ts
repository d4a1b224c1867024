import { type Endpoint, type InputOf, type OutputOf, requestOf } from '@hufu/contract/endpoint'
import type { MachineScope } from '@hufu/contract/machine-scopes'
import type { Client } from '../src/shared/sites/client-gate.ts'
import { secretOf } from './oidc.ts'
import type { Answer, TestApp, TestSite } from './test-app.ts'

/** A client of kind `machine`; it proves itself by its secret. */
export const machineClient = (id: string, ...scopes: MachineScope[]): Client => ({
  id,
  name: `系统 ${id}`,
  kind: 'machine',
  secret: secretOf(id),
  scopes: scopes.map((name) => ({ name })),
})

export interface TokenAnswer {
  status: number
  access_token: string
  scope?: string
  expires_in?: number
  error?: string
}

/** Asks for a token as a server does. */
export async function fetchToken(
  { app }: Pick<TestApp, 'app'>,
  site: TestSite,
  id: string,
  { secret = secretOf(id), ...params }: Record<string, string> = {},
): Promise<TokenAnswer> {
  const reply = await app.inject({
    method: 'POST',
    url: '/oidc/token',
    headers: {
      host: site.host,
      'content-type': 'application/x-www-form-urlencoded',
      ...(params.client_assertion === undefined && {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      }),
    },
    payload: new URLSearchParams({ grant_type: 'client_credentials', ...params }).toString(),
  })
  return { status: reply.statusCode, ...reply.json() }
}

export interface TestMachine {
  token: string
  call<E extends Endpoint>(
    endpoint: E,
    input?: InputOf<E>,
    headers?: Record<string, string>,
  ): Promise<Answer<OutputOf<E>>>
}

/** Calls with a token, without cookies. */
export function machineWith({ app }: Pick<TestApp, 'app'>, site: TestSite, token: string): TestMachine {
  async function call<E extends Endpoint>(endpoint: E, input?: InputOf<E>, headers: Record<string, string> = {}) {
    const { url, body } = requestOf(endpoint, (input ?? {}) as object)
    const reply = await app.inject({
      method: endpoint.method,
      url,
      headers: { host: site.host, authorization: `Bearer ${token}`, ...headers },
      ...(body && { payload: body }),
    })
    const { data, code, message, details } = reply.body === '' ? {} : reply.json()
    return { status: reply.statusCode, headers: reply.headers, data, code, message, details }
  }
  return { token, call }
}

/** A client of the site with a token of all its scopes. */
export async function machine(t: Pick<TestApp, 'app'>, site: TestSite, id: string): Promise<TestMachine> {
  const { status, access_token: token, error } = await fetchToken(t, site, id)
  if (status !== 200) throw new Error(`no token: ${status} ${error}`)
  return machineWith(t, site, token)
}
