import { answerDevice, deviceGrant } from '@hufu/contract/oidc'
import type { Client } from '../src/shared/sites/client-gate.ts'
import { secretOf } from './oidc.ts'
import type { TestApp, TestBrowser, TestSite } from './test-app.ts'

const scopes: Client['scopes'] = [{ name: 'profile' }, { name: 'phone' }, { name: 'offline_access' }]

/** Clients whose users have no keyboard: of the brand, of others, and of others with a server. */
export const deviceClients: Client[] = [
  { id: 'tv', name: '客厅影院', kind: 'native', firstParty: true, device: true, scopes },
  {
    id: 'player',
    name: '海风音乐',
    kind: 'native',
    device: true,
    scopes: [
      { name: 'profile', required: true, reason: '用于显示您的昵称' },
      { name: 'phone' },
      { name: 'offline_access' },
    ],
  },
  { id: 'box', name: '海风盒子', kind: 'web', device: true, secret: secretOf('box'), scopes },
]

export interface Waiting {
  client: string
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the standards
export type Reply = { status: number; json: any }

export interface DeviceOptions {
  address?: string
  userAgent?: string
}

/** A form that a device sends, from its own address. */
export async function post(
  { app }: Pick<TestApp, 'app'>,
  { host }: TestSite,
  url: string,
  form: Record<string, string>,
  { address = '203.0.113.7', userAgent = '' }: DeviceOptions = {},
): Promise<Reply> {
  const reply = await app.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      host,
      'x-forwarded-for': address,
      'user-agent': userAgent,
    },
    payload: `${new URLSearchParams({ ...form, ...(form.client_id === 'box' && { client_secret: secretOf('box') }) })}`,
  })
  return { status: reply.statusCode, json: reply.body === '' ? undefined : reply.json() }
}

export const ask = (
  t: Pick<TestApp, 'app'>,
  site: TestSite,
  client = 'tv',
  params: Record<string, string> = {},
  options?: DeviceOptions,
): Promise<Reply> => post(t, site, '/oidc/device', { client_id: client, scope: 'openid profile', ...params }, options)

/** A device that shows its code. */
export async function waiting(...args: Parameters<typeof ask>): Promise<Waiting> {
  const { status, json } = await ask(...args)
  if (status !== 200) throw new Error(`the device got no code: ${JSON.stringify(json)}`)
  return { client: args[2] ?? 'tv', ...json }
}

export const poll = (t: Pick<TestApp, 'app'>, site: TestSite, { client, device_code }: Waiting): Promise<Reply> =>
  post(t, site, '/oidc/token', { grant_type: deviceGrant, client_id: client, device_code })

export const approve = (user: Pick<TestBrowser, 'call'>, { user_code: userCode }: Waiting) =>
  user.call(answerDevice, { userCode, accept: true })

export const reject = (user: Pick<TestBrowser, 'call'>, { user_code: userCode }: Waiting) =>
  user.call(answerDevice, { userCode, accept: false })

/** The tokens of a device that this user approved. */
export async function deviceTokens(
  t: Pick<TestApp, 'app'>,
  site: TestSite,
  user: Pick<TestBrowser, 'call'>,
  scope = 'openid profile',
  client = 'tv',
) {
  const device = await waiting(t, site, client, { scope })
  const answer = await approve(user, device)
  if (answer.status !== 200) throw new Error(`the device was not approved: ${answer.code}`)
  const { status, json } = await poll(t, site, device)
  if (status !== 200) throw new Error(`the device got no tokens: ${JSON.stringify(json)}`)
  return json as { access_token: string; refresh_token: string; id_token: string; scope: string }
}

export const refresh = (t: Pick<TestApp, 'app'>, site: TestSite, token: string, client = 'tv'): Promise<Reply> =>
  post(t, site, '/oidc/token', { grant_type: 'refresh_token', client_id: client, refresh_token: token })
