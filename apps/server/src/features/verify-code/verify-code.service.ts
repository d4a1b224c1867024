import { randomInt } from 'node:crypto'
import { codeLength, codeLifeMinutes, resendSeconds } from '@hufu/contract/verify-code-rules'
import { isNumberRefusal } from '../../integrations/sms/sms-refusals.ts'
import { AppError } from '../../platform/app-error.ts'
import { keyedHash, matchesKeyedHash } from '../../platform/crypto/hash.ts'
import { seal, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordFailure, recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { hardest, requireProofOfWork } from '../../shared/proof-of-work/proof-of-work.ts'
import { type Asker, codeLimits, strangersOf } from '../../shared/send-limits/code-limits.ts'
import { bookSend, countAddress, mailPrefix, readUse } from '../../shared/send-limits/send-counters.ts'
import { countGuess, type Guess } from '../../shared/send-limits/wrong-codes.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { deliver, type Receiver } from './deliver.ts'
import {
  findLiveCode,
  insertSend,
  lockReceiver,
  noteOutcome,
  type Purpose,
  putCode,
  type Sends,
  spend,
  takeTry,
} from './verify-code.store.ts'

type Needs = Pick<
  Deps,
  'db' | 'redis' | 'config' | 'clock' | 'log' | 'breaker' | 'mailer' | 'usage' | 'deliveryFailures' | 'randomDelay'
>

export interface CodeRequest {
  receiver: Receiver
  purpose: Purpose
  address: string
  /** The address or the household it belongs to. */
  bucket: string
  /** Who asks: the browser mark, or that of the session for a code that counts in it alone. */
  browserHash: Buffer
  powSolution?: string | undefined
  asker: Asker
  /** False for a number that must not learn that it has no account: all is counted, nothing sent. */
  send: boolean
  /**
   * Whether the caller may learn how delivery went; for strangers its time would reveal whether there is an account.
   */
  wait: boolean
}

const codeContext = (siteId: SiteId, receiver: string, purpose: Purpose) => `${siteId}/code/${purpose}/${receiver}`

/** Sends a code, or refuses. Counted in Redis first, decided under the receiver's lock, sent after the commit. */
export async function sendCode(deps: Needs, site: Site, request: CodeRequest): Promise<{ retryAfter: number }> {
  const limits = codeLimits(site.config)
  const { receiver, address, bucket } = request
  const asked = await countAddress(deps, site.id, bucket, limits)
  if (asked < 0) throw await limited(deps, site, request, -asked)
  const prefix = receiver.kind === 'mobile' ? receiver.mobile.prefix : mailPrefix
  const who = { prefix, asker: request.asker }
  const level = Math.max(asked > limits.addressProof ? 1 : 0, await budgetLevel(deps, site, who))
  if (level > 0) await requireProofOfWork(deps, `${site.id} ${receiver.value} ${bucket}`, request.powSolution, level)
  const budget = await bookSend(deps, site.id, who, limits)
  if (budget.retryAfter) {
    deps.deliveryFailures.note(site.id, 'codeRefused')
    throw await limited(deps, site, request, budget.retryAfter)
  }
  const decided = await decide(deps, site, request).catch(async (error: unknown) => {
    await budget.giveBack()
    throw error
  })
  if ('retryAfter' in decided) {
    await budget.giveBack()
    throw await limited(deps, site, request, decided.retryAfter)
  }
  await recordSecurity(deps.db, site.id, { event: 'code.send', address, detail: { purpose: request.purpose } })
  if (request.send) {
    const send = () => dispatch(deps, site, request, decided)
    if (request.wait) await send()
    else deps.randomDelay.runAfterRandomDelay(send)
  }
  return { retryAfter: resendSeconds }
}

/**
 * From half of the open quota on, askers without access to the reserved part pay with proof of work, twice as much for
 * each tenth. Where nothing is left, none is demanded: it would be in vain.
 */
async function budgetLevel(deps: Needs, site: Site, who: { prefix: string; asker: Asker }): Promise<number> {
  if (who.asker === 'own') return 0
  const { tenths, left } = await readUse(deps, site.id, who, codeLimits(site.config))
  return left ? Math.min(Math.max(0, tenths - 4), hardest) : 0
}

/** Whether a receiver has used up its sends of some time, for this asker. */
const isFull = (asker: Asker, most: number, { all, strangers }: Sends) =>
  all >= most || (asker !== 'own' && strangers >= strangersOf(most))

interface Decided {
  code: string
  send: { at: string; id: string }
}

function decide(deps: Needs, site: Site, request: CodeRequest): Promise<Decided | { retryAfter: number }> {
  const { receiver, purpose, browserHash, asker } = request
  const { receiverHour, receiverDay } = codeLimits(site.config)
  const { keys } = deps.config
  const where = codeContext(site.id, receiver.value, purpose)
  return deps.db.transaction().execute(async (tx) => {
    const state = await lockReceiver(tx, site.id, receiver.value, resendSeconds)
    if (state.wait > 0) return { retryAfter: state.wait }
    if (isFull(asker, receiverHour, state.lastHour)) return { retryAfter: 3_600 }
    if (isFull(asker, receiverDay, state.lastDay)) return { retryAfter: 86_400 }
    const live = await findLiveCode(tx, site.id, receiver.value, purpose, browserHash)
    const code = live ? unseal(keys, where, live) : newCode()
    if (!live) {
      const hmac = keyedHash(keys, 'code', `${where} ${code}`)
      await putCode(
        tx,
        site.id,
        receiver.value,
        { purpose, hmac, sealed: seal(keys, where, code), browserHash },
        codeLifeMinutes * 60,
      )
    }
    return { code, send: await insertSend(tx, site.id, receiver.value, purpose, asker) }
  })
}

const newCode = () => String(randomInt(10 ** codeLength)).padStart(codeLength, '0')

async function dispatch(
  deps: Needs,
  site: Site,
  { receiver, purpose }: CodeRequest,
  { code, send }: Decided,
): Promise<void> {
  const outcome = await deliver(deps, site, receiver, purpose, code)
  await noteOutcome(deps.db, site.id, receiver.value, send, outcome.kind)
  if (outcome.kind !== 'sent' && !isNumberRefusal(outcome))
    deps.deliveryFailures.note(site.id, receiver.kind === 'mobile' ? 'smsFailed' : 'mailFailed')
  if (outcome.kind === 'refused') throw new AppError('CODE_SEND_FAILED')
  if (purpose === 'login') deps.usage.countStep(site.id, 'codeSent')
}

async function limited(deps: Needs, site: Site, { address }: CodeRequest, retryAfter: number): Promise<AppError> {
  await recordFailure(deps.db, site.id, { event: 'code.limited', address })
  return new AppError('CODE_SEND_LIMITED', { retryAfter })
}

/** A browser without a session that tries a code. */
export interface Guesser {
  /** Whether the account behind the receiver knows it. Queried only while many codes of the site are wrong. */
  known: () => Promise<boolean>
  bucket: string
  powSolution: string | undefined
}

export interface CodeTry {
  receiver: string
  purpose: Purpose
  code: string
  browserHash: Buffer
  address: string
  guesser: Guesser | 'session'
}

/** A code that was right when it was tried; spend it in the transaction of its effect. */
export interface RightCode {
  receiver: string
  purpose: Purpose
  hmac: Buffer
}

type TryNeeds = Pick<Deps, 'db' | 'config' | 'redis' | 'clock' | 'log'>

/**
 * While too many codes of the site are wrong, each try of a browser that the account doesn't know costs proof of work.
 */
async function requireGuessProofOfWork(
  deps: TryNeeds,
  site: Site,
  { receiver, guesser }: CodeTry,
  { over }: Guess,
): Promise<void> {
  if (over === 0 || guesser === 'session' || (await guesser.known())) return
  const level = Math.min(1 + Math.floor(Math.log2(over)), hardest)
  await requireProofOfWork(deps, `try ${site.id} ${receiver} ${guesser.bucket}`, guesser.powSolution, level)
}

/** Counts the try, then compares. Wrong, unknown and expired codes look the same. */
export async function tryCode(deps: TryNeeds, site: Site, attempt: CodeTry): Promise<RightCode> {
  const { receiver, purpose, code, browserHash, address } = attempt
  const guess = await countGuess(deps, site)
  const take = () => takeTry(deps.db, site.id, receiver, purpose, browserHash)
  const tried = await requireGuessProofOfWork(deps, site, attempt, guess)
    .then(take)
    .catch((error: unknown) => {
      guess.giveBack()
      throw error
    })
  const text = `${codeContext(site.id, receiver, purpose)} ${code}`
  const compared = tried !== undefined && tried !== 'exceeded'
  const right = compared && matchesKeyedHash(deps.config.keys, 'code', text, tried.hmac)
  // A wrong try stays counted.
  if (right || !compared) guess.giveBack()
  if (right) return { receiver, purpose, hmac: tried.hmac }
  const exceeded = tried === 'exceeded'
  await recordFailure(deps.db, site.id, { event: exceeded ? 'code.exceeded' : 'code.wrong', address })
  throw new AppError(exceeded ? 'CODE_TRIES_EXCEEDED' : 'CODE_WRONG')
}

/**
 * Within the transaction of the code's effect: a failed effect doesn't use it up, and of several parallel calls one
 * succeeds.
 */
export async function spendCode(tx: Db, siteId: SiteId, { receiver, purpose, hmac }: RightCode): Promise<void> {
  if (!(await spend(tx, siteId, receiver, purpose, hmac))) throw new AppError('CODE_WRONG')
}
