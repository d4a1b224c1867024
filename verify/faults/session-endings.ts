import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { twoFactorState } from '@hufu/contract/two-factor'
import { addressBucket } from '../../apps/server/src/http/address.ts'
import { AppError } from '../../apps/server/src/platform/app-error.ts'
import { connectRedis } from '../../apps/server/src/platform/redis/client.ts'
import { requireProofOfWork } from '../../apps/server/src/shared/proof-of-work/proof-of-work.ts'
import { solvePow } from '../../apps/server/test/pow-solution.ts'
import { sessionOf, times } from '../../apps/server/test/test-app.ts'
import { password } from '../harness/harness.ts'
import { type Ending, each, fail, type Ground, many, set, stillIs } from './endings.ts'

const days = 86_400_000

async function sessionsOf(ground: Ground, url: string) {
  const { t, site } = ground
  const { id } = await t.user(site, { password: undefined })
  const browser = await t.session(site, id, { urls: [url] })
  return { id, session: sessionOf(browser), browser }
}

/** After 180 days, however much it was used. */
export async function oldSessions(ground: Ground): Promise<Ending> {
  const made = await each(ground, (url) => sessionsOf(ground, url))
  const begunAt = set(ground, 'session', 'created_at', 'id = ANY($3)', [made.map(({ session }) => session)])
  return {
    name: 'sessions of 180 days',
    endAt: (end) => begunAt(end - 180 * days),
    ask: async (process) => stillIs(await (made[process] ?? fail()).browser.call(userInfo), 'ok', 'NOT_LOGGED_IN'),
  }
}

/** After 30 days without use; asking is a use, so each is asked once. */
export async function idleSessions(ground: Ground): Promise<Ending> {
  const made = await many(ground, (url) => sessionsOf(ground, url))
  const ids = made.flat().map(({ session }) => session)
  const usedAt = set(ground, 'session_access', 'last_access', 'session_id = ANY($3)', [ids])
  return {
    name: 'sessions unused for 30 days',
    endAt: (end) => usedAt(end - 30 * days),
    async ask(process, turn) {
      const { browser } = made[process]?.[turn] ?? fail()
      return stillIs(await browser.call(userInfo), 'ok', 'NOT_LOGGED_IN')
    },
  }
}

/** The seven days of an account that is to be erased. */
export async function closings(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, (url) => sessionsOf(ground, url))
  const ids = made.map(({ id }) => id)
  await t.deps.pool.query(
    "INSERT INTO deletion (site_id, user_id, due_at) SELECT $1, unnest($2::uuid[]), now() + interval '7 days'",
    [site.id, ids],
  )
  return {
    name: 'accounts to be erased',
    endAt: set(ground, 'deletion', 'due_at', 'user_id = ANY($3)', [ids]),
    ask: async (process) => stillIs(await (made[process] ?? fail()).browser.call(userInfo), 'ok', 'SESSION_REMOVED'),
  }
}

/** The ten minutes of a step-up, as shown from caches and as enforced. */
export async function checks(ground: Ground): Promise<Ending> {
  const made = await each(ground, (url) => sessionsOf(ground, url))
  const checkedAt = set(ground, 'session', 'two_factor_at', 'id = ANY($3)', [made.map(({ session }) => session)])
  return {
    name: 'identity checks',
    endAt: (end) => checkedAt(end - 10 * 60_000),
    async ask(process, turn) {
      const { browser } = made[process] ?? fail()
      const response = await browser.call(turn % 2 ? userInfo : twoFactorState)
      return response.data?.twoFactor
    },
  }
}

/** For 72 hours a browser that signed in by SMS code needs a second kind of identity proof. */
export async function newBrowsers(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url) => {
    const { id } = await t.user(site)
    const browser = await t.session(site, id, { urls: [url] })
    await t.deps.pool.query("UPDATE session SET method = 'mobile' WHERE id = $1", [sessionOf(browser)])
    return { id, browser }
  })
  const seenAt = set(ground, 'known_browser', 'first_seen', 'user_id = ANY($3)', [made.map(({ id }) => id)])
  return {
    name: 'new browsers',
    endAt: (end) => seenAt(end - 3 * days),
    async ask(process) {
      const { data } = await (made[process] ?? fail()).browser.call(twoFactorState)
      return data && data.second.length > 0
    },
  }
}

/** What was set by an SMS code alone is no second kind of identity proof for 72 hours. */
export async function freshProofs(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, async (url) => {
    const { id } = await t.user(site, { email: undefined })
    const browser = await t.session(site, id, { urls: [url] })
    await t.deps.pool.query("UPDATE session SET method = 'mobile' WHERE id = $1", [sessionOf(browser)])
    return { id, browser }
  })
  return {
    name: 'proofs too fresh to count',
    endAt: set(ground, 'users', 'password_fresh_until', 'id = ANY($3)', [made.map(({ id }) => id)]),
    async ask(process) {
      const { data } = await (made[process] ?? fail()).browser.call(twoFactorState)
      return data && data.second.length === 0
    },
  }
}

/** A user whose password is guessed. */
async function guessed({ t, site }: Ground, url: string) {
  const { id, username } = await t.user(site, { password: undefined })
  return { id, account: username, browser: t.browser(site, { urls: [url] }), proof: '' }
}

/** Too many wrong passwords: all callers wait for a quarter of an hour, counted in Redis. */
export async function pauses(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  // One guess at each user: more would ask for a proof of work.
  const made = await many(ground, (url) => guessed(ground, url))
  return {
    name: 'pauses after wrong passwords',
    async endAt(end) {
      for (const { id } of made.flat()) await t.deps.cache.set(`{pw:${site.id}:${id}}:new`, 1_000, 'PXAT', end)
    },
    async ask(process, turn) {
      const { account, browser } = made[process]?.[turn] ?? fail()
      return stillIs(await browser.call(loginByPassword, { account, password }), 'LOGIN_PAUSED', 'LOGIN_FAILED')
    },
  }
}

/** Each takes a while to be solved. */
const proofsEach = 8

/** Five minutes for a proof of work, asked for by a process of our own that had the right time. */
export async function proofs(ground: Ground): Promise<Ending> {
  const { t, site } = ground
  const made = await each(ground, (url) => Promise.all(times(proofsEach, () => guessed(ground, url))))
  return {
    name: 'proofs of work',
    setsFor: made.flat().length * 250,
    async endAt(end) {
      const redis = connectRedis(t.deps.config.redisUrl, { timeoutMs: 1_000 }, () => {})
      const deps = { redis, config: t.deps.config, clock: { now: () => end - 300_000 } }
      for (const one of made.flat()) {
        await t.deps.cache.set(`{pw:${site.id}:${one.id}}:new`, 10, 'EX', 900)
        const asked = await requireProofOfWork(
          deps,
          `${site.id} ${one.id} ${addressBucket(one.browser.address)}`,
          '',
        ).catch((error: unknown) => error)
        if (!(asked instanceof AppError)) throw asked
        one.proof = await solvePow(asked.details as Parameters<typeof solvePow>[0])
      }
      redis.disconnect()
    },
    async ask(process, turn) {
      const every = Math.ceil(ground.turns / proofsEach)
      if (turn % every > 0) return undefined
      const { account, browser, proof } = made[process]?.[turn / every] ?? fail()
      return stillIs(
        await browser.call(loginByPassword, { account, password, proof }),
        'LOGIN_FAILED',
        'PROOF_REQUIRED',
      )
    },
  }
}
