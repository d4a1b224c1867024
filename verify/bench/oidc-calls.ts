import { createHash } from 'node:crypto'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { cpuMsOf } from '../harness/cpu-time.ts'

export const client = {
  id: 'shop',
  secret: 'the-secret-of-the-bench-client',
  back: 'https://shop.example.com/callback',
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** One call over a connection that stays. */
export function send(url: string, headers: Record<string, string>, form?: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = request(
      url,
      { agent, method: form ? 'POST' : 'GET', headers: { ...headers, ...type } },
      async (answer) => {
        let body = ''
        for await (const chunk of answer) body += chunk
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
      },
    )
    sent.on('error', reject)
    sent.end(form && new URLSearchParams(form).toString())
  })
}

export interface Tokens {
  access_token: string
  refresh_token: string
}

const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Calls of a client of one site, which a server knows by its host. */
export function relyingParty(server: string, host: string) {
  const token = async (form: Record<string, string>): Promise<Tokens> => {
    const { status, body } = await send(`${server}/oidc/token`, { host, authorization: basic }, form)
    if (status !== 200) throw new Error(`the token endpoint answered ${status}: ${body}`)
    return JSON.parse(body) as Tokens
  }
  return {
    /** A code for the user of a session. */
    async authorize(session: Record<string, string>): Promise<string> {
      const query = new URLSearchParams({
        client_id: client.id,
        response_type: 'code',
        redirect_uri: client.back,
        scope: 'openid profile',
        state: 'state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
      const { headers, status } = await send(`${server}/oidc/authorize?${query}`, session)
      const code = new URL(headers.location ?? '', client.back).searchParams.get('code')
      if (!code) throw new Error(`authorize answered ${status} and leads to ${headers.location}`)
      return code
    },
    exchange: (code: string) =>
      token({ grant_type: 'authorization_code', code, redirect_uri: client.back, code_verifier: verifier }),
    refresh: ({ refresh_token }: Tokens) => token({ grant_type: 'refresh_token', refresh_token }),
    async userinfo({ access_token }: Tokens): Promise<void> {
      const { status } = await send(`${server}/oidc/userinfo`, { host, authorization: `Bearer ${access_token}` })
      if (status !== 200) throw new Error(`userinfo answered ${status}`)
    },
  }
}

export interface Cost {
  /** Milliseconds of the server's CPU. */
  cpu: number
  callsPerSecond: number
}

/** Chains of calls side by side, each call after the one before it, until a chain has none left. */
export async function costOf(pid: number, chains: (() => Promise<boolean>)[]): Promise<Cost> {
  const [cpu, began] = [cpuMsOf(pid), performance.now()]
  let calls = 0
  await Promise.all(
    chains.map(async (call) => {
      while (await call()) calls++
    }),
  )
  const seconds = (performance.now() - began) / 1000
  return { cpu: (cpuMsOf(pid) - cpu) / calls, callsPerSecond: calls / seconds }
}

/** The same for some seconds. */
export function costFor(pid: number, seconds: number, chains: (() => Promise<void>)[]): Promise<Cost> {
  const until = performance.now() + seconds * 1000
  const untilThen = (call: () => Promise<void>) => async () => {
    if (performance.now() > until) return false
    await call()
    return true
  }
  return costOf(pid, chains.map(untilThen))
}
