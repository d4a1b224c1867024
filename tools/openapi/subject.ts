import { machineScopes } from '@hufu/contract/machine-scopes'
import { layDemoGround } from '../run/demo-product.ts'
import { demoConfig, demoOperator } from '../run/demo-site.ts'
import { hufu, ready, runHufu } from '../run/product.ts'
import { freePort } from '../stores/ports.ts'

/** A running product, with what callers of each kind have. */
export interface Subject {
  web: string
  /** The Cookie header of an operator's session. */
  cookie: string
  /** Of a machine with every scope. */
  token: string
  clientId: string
  clientSecret: string
}

async function codeFrom(inbox: string): Promise<string | undefined> {
  const messages = await fetch(`${inbox}/api/messages?to=${demoOperator.mobile}`)
  const { data } = (await messages.json()) as { data: { text: string }[] }
  return /\d{6}/.exec(data[0]?.text ?? '')?.[0]
}

async function signIn(web: string, inbox: string): Promise<string> {
  const cookies = new Map<string, string>()
  const headerOf = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  async function post(path: string, body: object): Promise<void> {
    const headers = { origin: web, 'content-type': 'application/json', cookie: headerOf() }
    const answer = await fetch(web + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} failed: ${await answer.text()}`)
    for (const cookie of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';', 1)[0] ?? '').split('=', 2)
      cookies.set(name, value)
    }
  }
  await post('/api/verifyCode/mobile', demoOperator)
  const agreements = demoConfig.agreements.version
  await post('/api/login/mobile', { ...demoOperator, code: await codeFrom(inbox), agreements })
  return headerOf()
}

async function machineToken(web: string, clientId: string, clientSecret: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  const body = new URLSearchParams({ ...form, scope: machineScopes.join(' ') })
  const answer = await fetch(`${web}/oidc/token`, { method: 'POST', body })
  const { access_token } = (await answer.json()) as { access_token?: string }
  if (!access_token) throw new Error(`the machine got no token: ${answer.status}`)
  return access_token
}

/** The API alone, on the demo's site. */
export async function startSubject(parts: { stop(): Promise<void> }[]): Promise<Subject> {
  const port = await freePort()
  const web = `http://localhost:${port}`
  const { environment, inbox } = await layDemoGround(parts, web)
  const id = 'machine'
  const machine = ['--id', id, '--name', 'Machine', '--kind', 'machine', '--by', 'openapi']
  const scopes = machineScopes.flatMap((scope) => ['--scope', scope])
  const credentials = JSON.parse(await hufu(environment, ['client', 'add', web, ...machine, ...scopes]))
  const server = runHufu('serve', { ...environment, HUFU_PORT: String(port), HUFU_INSECURE_HTTP: '1' })
  parts.push(server)
  await ready(web, server)
  const clientSecret = String(credentials.client_secret)
  return {
    web,
    cookie: await signIn(web, inbox),
    token: await machineToken(web, id, clientSecret),
    clientId: id,
    clientSecret,
  }
}
