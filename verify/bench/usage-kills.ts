import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { meta } from '@hufu/contract/site'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import type { Environment } from '../../tools/run/product.ts'
import type { Figure } from '../harness/figures.ts'
import type { BenchGround } from './bench-environment.ts'
import { post } from './post.ts'
import { host } from './user-session.ts'

const kills = 20
const callers = 16

interface Ledger {
  sent: number
  /** When each answer came. */
  answered: number[]
  killedAt: number
}

/** Calls without a pause until the process is killed in the middle of it. */
async function untilKilled(bench: BenchGround, environment: Environment): Promise<Ledger> {
  const { url, running } = await bench.server(environment)
  const ledger: Ledger = { sent: 0, answered: [], killedAt: 0 }
  let killed = false
  async function call() {
    while (!killed) {
      ledger.sent++
      const answer = await post(url + meta.path, { host }).catch(() => undefined)
      if (answer?.status === 200) ledger.answered.push(performance.now())
    }
  }
  const calling = Promise.all(Array.from({ length: callers }, call))
  await sleep(2_500 + Math.random() * 2_500)
  const gone = once(running.child, 'exit')
  ledger.killedAt = performance.now()
  running.child.kill('SIGKILL')
  await gone
  killed = true
  await calling
  // What it had sent to PostgreSQL is written all the same.
  await sleep(300)
  return ledger
}

async function countedCalls({ pool }: Deps): Promise<number> {
  const { rows } = await pool.query('SELECT coalesce(sum(api_access), 0)::float8 AS calls FROM usage_hour')
  return rows[0].calls
}

/** A process is killed again and again under load; what it answered is compared with what is counted of it. */
export async function measureKills(bench: BenchGround, environment: Environment, deps: Deps): Promise<Figure[]> {
  const seconds: number[] = []
  let [sent, answered, lostCalls, doubled] = [0, 0, 0, 0]
  for (let kill = 0; kill < kills; kill++) {
    const before = await countedCalls(deps)
    const ledger = await untilKilled(bench, environment)
    const counted = (await countedCalls(deps)) - before
    const lost = Math.max(0, ledger.answered.length - counted)
    const firstLost = ledger.answered.at(-lost) ?? ledger.killedAt
    seconds.push(lost > 0 ? (ledger.killedAt - firstLost) / 1000 : 0)
    doubled += Math.max(0, counted - ledger.sent)
    sent += ledger.sent
    answered += ledger.answered.length
    lostCalls += lost
  }
  const from = `${sent} sent, ${answered} answered, ${lostCalls} not counted in ${kills} kills`
  return [
    {
      name: 'a killed process loses the counts of at most',
      value: Math.max(...seconds),
      limit: ['<=', 2],
      unit: ' s',
      from,
    },
    { name: 'calls counted twice', value: doubled, limit: ['<=', 0] },
  ]
}
