import { readFileSync } from 'node:fs'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { SiteId, UserId } from '../../apps/server/src/platform/ids.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { type Cost, client, costFor, costOf, relyingParty, send, type Tokens } from './oidc-calls.ts'
import { startOther } from './other.ts'
import { host, sessionOf } from './user-session.ts'

const rounds = 7
/** Grants whose tokens are renewed side by side. */
const chains = 16
/** Codes that one round exchanges; they live for a minute. */
const codes = 400
/** Calls before the first one counts. */
const warmCalls = 3_000

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

interface Ours {
  pid: number
  siteId: SiteId
  userId: UserId
  sessions: Record<string, string>[]
  party: ReturnType<typeof relyingParty>
  /** MB, before the first call for the provider and after it. */
  rss: { before: number; after: number }
}

/** The product with one client and several signed-in users. */
async function startOurs(bench: BenchGround, environment: Environment): Promise<Ours> {
  const deps = await bench.deps(environment)
  const { id, secret, back } = client
  const clients = [
    {
      id,
      name: '青屿商城',
      kind: 'web' as const,
      firstParty: true,
      secret,
      returns: [back],
      scopes: [{ name: 'profile' as const }],
    },
  ]
  const siteId = await createSite(deps, { origin: `https://${host}`, config: { clients } }, 'bench')
  const users: UserId[] = []
  for (let user = 0; user < chains; user++)
    users.push(await createUser(deps, siteId, { username: `bench_${user}` }, 'bench'))
  const own = await Promise.all(users.map((user) => sessionOf(deps, siteId, user)))
  // Browsers have addresses of their own, each with its limit.
  const sessions = own.map((headers, at) => ({ ...headers, 'x-forwarded-for': `20.0.0.${at}` }))
  const { url, running } = await bench.server(environment)
  const pid = running.child.pid ?? 0
  const before = rssOf(pid)
  const { status } = await send(`${url}/.well-known/openid-configuration`, { host })
  if (status !== 200) throw new Error(`discovery answered ${status}`)
  const rss = { before, after: rssOf(pid) }
  return { pid, siteId, userId: users[0] as UserId, sessions, party: relyingParty(url, host), rss }
}

interface Bare {
  url: string
  pid: number
}

async function startBare(bench: BenchGround, environment: Environment, { siteId, userId }: Ours): Promise<Bare> {
  const body = Buffer.from(JSON.stringify({ access_token: 'x'.repeat(43), id_token: 'x'.repeat(800) })).toString(
    'base64',
  )
  const started = bench.started.length
  const url = await startOther(bench, 'bare-select.mjs', {
    ...environment,
    BODY: body,
    SITE_ID: siteId,
    USER_ID: userId,
  })
  const { child } = bench.started[started] as unknown as { child: { pid: number } }
  return { url, pid: child.pid }
}

async function callBare({ url }: Bare): Promise<void> {
  const { status } = await send(url, {}, { grant_type: 'refresh_token', refresh_token: 'x'.repeat(43) })
  if (status !== 200) throw new Error(`the baseline answered ${status}`)
}

async function measureCodes({ pid, party, sessions }: Ours, count: number): Promise<Cost> {
  const ready = await Promise.all(
    sessions.map(async (session) => {
      const own: string[] = []
      while (own.length < count / sessions.length) own.push(await party.authorize(session))
      return own
    }),
  )
  return await costOf(
    pid,
    ready.map((own) => async () => {
      const code = own.pop()
      if (code !== undefined) await party.exchange(code)
      return code !== undefined
    }),
  )
}

interface Round {
  refresh: Cost
  bare: Cost
  userinfo: Cost
  code: Cost
}

/** A process that runs for days has compiled what it runs; one that has just started hasn't. */
const warmUp = (calls: (() => Promise<void>)[]) =>
  Promise.all(
    calls.map(async (call) => {
      for (let made = 0; made < warmCalls / calls.length; made++) await call()
    }),
  )

/** Everything by turns, so that a neighbour on a shared machine disturbs all alike. */
async function measure(ours: Ours, bare: Bare, seconds: number): Promise<Round[]> {
  const { pid, party } = ours
  const held: Tokens[] = []
  for (const session of ours.sessions) held.push(await party.exchange(await party.authorize(session)))
  const refresh = held.map((_, at) => async () => {
    held[at] = await party.refresh(held[at] as Tokens)
  })
  const userinfo = held.map((_, at) => () => party.userinfo(held[at] as Tokens))
  const baseline = held.map(() => () => callBare(bare))
  await warmUp(refresh)
  await warmUp(baseline)
  const results: Round[] = []
  for (let round = 0; round < rounds; round++)
    results.push({
      bare: await costFor(bare.pid, seconds, baseline),
      refresh: await costFor(pid, seconds, refresh),
      userinfo: await costFor(pid, seconds, userinfo),
      code: await measureCodes(ours, codes),
    })
  return results
}

const noLimit: Figure['limit'] = ['>=', 0]

function figuresOf(results: Round[], { rss }: Ours): Figure[] {
  const cpu = (name: keyof Round) => median(results.map((round) => round[name].cpu))
  const perSecond = (name: keyof Round) => Math.round(median(results.map((round) => round[name].callsPerSecond)))
  const from = (name: keyof Round) => `${perSecond(name)}/s with ${chains} at once`
  return [
    { name: 'API CPU of a refresh', value: cpu('refresh'), limit: ['<=', 4], unit: 'ms', from: from('refresh') },
    {
      name: 'refreshes a second of one core',
      value: median(results.map(({ refresh }) => 1000 / refresh.cpu)),
      limit: ['>=', 240],
    },
    {
      name: 'CPU of a refresh against bare Fastify + one SELECT',
      value: median(results.map(({ refresh, bare }) => refresh.cpu / bare.cpu)),
      limit: ['<=', 20],
      from: `${cpu('refresh').toFixed(2)} ms against ${cpu('bare').toFixed(2)} ms`,
    },
    { name: 'API CPU of a code exchange', value: cpu('code'), limit: noLimit, unit: 'ms', from: from('code') },
    { name: 'API CPU of userinfo', value: cpu('userinfo'), limit: noLimit, unit: 'ms', from: from('userinfo') },
    {
      name: 'memory that the first call for a provider adds',
      value: rss.after - rss.before,
      limit: noLimit,
      unit: 'MB',
      from: `${Math.round(rss.before)} MB before`,
    },
  ]
}

/** Tokens of a first-party client, against the baseline of one read. */
export default async function oidc(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const environment = { ...(await bench.database('oidc')), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
    const ours = await startOurs(bench, environment)
    const bare = await startBare(bench, environment, ours)
    return figuresOf(await measure(ours, bare, seconds), ours)
  } finally {
    await bench.stop()
  }
}
