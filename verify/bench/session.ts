import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { type Load, load, type Target } from './load.ts'
import { startOther } from './other.ts'
import { cookiesOf, post } from './post.ts'

const rounds = 5
const host = 'id.example.com'
const user = { username: 'bench_person', password: 'Qy#2026autumn', nickname: '林知夏', mobile: '13800138000' }

/** The product with one signed-in user, and the cookie of that session. */
async function startOurs(bench: BenchGround, environment: Environment): Promise<Target> {
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  await createUser(deps, site, user, 'bench')
  const { url } = await bench.server(environment)
  const login = JSON.stringify({ account: user.username, password: user.password })
  const { headers } = await post(`${url}/api/login/password`, { host, 'sec-fetch-site': 'same-origin' }, login)
  const cookie = cookiesOf(headers)
  return { url: `${url}/api/user/info`, hosts: [host], headers: { cookie, 'sec-fetch-site': 'same-origin' } }
}

/** Better Auth with a user signed in; its get-session is a GET. */
async function startBetterAuth(bench: BenchGround, environment: Environment): Promise<Target> {
  const url = await startOther(bench, 'better-auth.ts', environment)
  const account = JSON.stringify({ email: 'bench@example.com', password: user.password, name: user.nickname })
  const { headers, status } = await post(`${url}/api/auth/sign-up/email`, { origin: url }, account)
  if (status !== 200) throw new Error(`Better Auth answered ${status}`)
  const cookie = cookiesOf(headers)
  return { url: `${url}/api/auth/get-session`, hosts: [new URL(url).host], headers: { cookie }, method: 'GET' }
}

/** `/api/user/info` with a cookie against the baseline of the same Redis work, and against a peer on the same stores. */
export default async function session(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const environment = await bench.database('session_ours')
    const ours = await startOurs(bench, environment)
    const { body, status } = await post(ours.url, { host, ...ours.headers })
    if (status !== 200) throw new Error(`info answered ${status}: ${body}`)
    const deps = await bench.deps(environment)
    await deps.redis.mset('{bench}:a', 'x'.repeat(250), '{bench}:b', 'x'.repeat(400))
    const bareEnvironment = { ...environment, BODY: body.toString('base64'), KEYS: '{bench}:a {bench}:b' }
    const bare: Target = { url: await startOther(bench, 'bare-redis.ts', bareEnvironment), hosts: ['bare.example.com'] }
    const peer = await startBetterAuth(bench, await bench.database('session_peer'))
    for (const target of [ours, bare, peer]) await load(target, 1)
    const results: { ours: Load; bare: Load; peer: Load }[] = []
    for (let round = 0; round < rounds; round++) {
      results.push({
        bare: await load(bare, seconds),
        ours: await load(ours, seconds),
        peer: await load(peer, seconds),
      })
    }
    const perSecond = (name: 'ours' | 'bare' | 'peer') =>
      Math.round(median(results.map((round) => round[name].callsPerSecond)))
    return [
      {
        name: 'info with a session against bare node:http + MGET, calls/s',
        value: median(
          results.map(({ ours: { callsPerSecond }, bare: floor }) => callsPerSecond / floor.callsPerSecond),
        ),
        limit: ['>=', 0.6],
        from: `${perSecond('ours')}/s against ${perSecond('bare')}/s`,
      },
      {
        name: "info with a session against Better Auth's get-session, calls/s",
        value: median(
          results.map(({ ours: { callsPerSecond }, peer: other }) => callsPerSecond / other.callsPerSecond),
        ),
        limit: ['>=', 15],
        from: `${perSecond('ours')}/s against ${perSecond('peer')}/s`,
      },
      {
        name: 'failed calls',
        value: results.reduce((sum, round) => sum + round.ours.errors + round.peer.errors, 0),
        limit: ['<=', 0],
      },
    ]
  } finally {
    await bench.stop()
  }
}
