import { randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { AppError } from '../../platform/app-error.ts'
import { keyedHash, sha256 } from '../../platform/crypto/hash.ts'
import type { Deps } from '../deps.ts'

type Needs = Pick<Deps, 'redis' | 'config' | 'clock'>

const lifeSeconds = 300
const cost = 1_000
/** Each level doubles the work of the one before; the first takes tenths of a second on a phone (docs/decisions/006-codes.md). */
export const hardest = 5
const counter = (level: number) => randomInt(100, 400) * 2 ** (level - 1)

const secret = ({ config }: Needs) => keyedHash(config.keys, 'proof', 'challenge').toString('base64')

/** What a solution is bound to: this receiver from this address. */
const bound = (what: string) => sha256(what).toString('base64url')

/** Demands proof of work: never for a user's first tries, always for a script's hundredth. */
export async function requireProofOfWork(
  deps: Needs,
  what: string,
  powSolution: string | undefined,
  level = 1,
): Promise<void> {
  if (powSolution !== undefined && (await isGood(deps, what, powSolution, level))) return
  const challenge = await createChallenge({
    algorithm: 'PBKDF2/SHA-256',
    cost,
    counter: counter(level),
    deriveKey,
    // Not as the challenge's own expiry: the library would compare that with the machine's clock.
    data: { for: bound(what), until: deps.clock.now() + lifeSeconds * 1000, level },
    hmacSignatureSecret: secret(deps),
  })
  throw new AppError('PROOF_REQUIRED', { challenge })
}

/** The level may have risen by one while the work was done; older challenges have none and count as the first. */
async function isGood(deps: Needs, what: string, powSolution: string, level: number): Promise<boolean> {
  const payload = parse(powSolution)
  const data = payload?.challenge?.parameters?.data
  if (!payload || data?.for !== bound(what) || typeof payload.challenge.signature !== 'string') return false
  if (!(Number(data.until) > deps.clock.now()) || !(Number(data.level ?? 1) >= level - 1)) return false
  const { verified } = await verifySolution({
    challenge: payload.challenge,
    solution: payload.solution,
    deriveKey,
    hmacSignatureSecret: secret(deps),
  }).catch(() => ({ verified: false }))
  // Used once: an atomic SET NX decides.
  return (
    verified &&
    (await deps.redis.set(`{proof:${payload.challenge.signature}}`, '1', 'EX', lifeSeconds * 2, 'NX')) === 'OK'
  )
}

type Payload = Pick<Parameters<typeof verifySolution>[0], 'challenge' | 'solution'>

function parse(powSolution: string): Payload | undefined {
  try {
    return JSON.parse(Buffer.from(powSolution, 'base64').toString('utf8')) as Payload
  } catch {
    return undefined
  }
}
