import { randomInt } from 'node:crypto'
import { codeLength, codeLifeMinutes, resendSeconds } from '@hufu/contract/verify-code-rules'
import { AppError } from '../../core/app-error.ts'
import { codeLimits } from '../../core/code-limits.ts'
import type { Db } from '../../core/db.ts'
import type { Deps } from '../../core/deps.ts'
import { keyedHash, matchesKeyedHash } from '../../core/hash.ts'
import type { SiteId } from '../../core/ids.ts'
import { seal, unseal } from '../../core/secrets.ts'
import { recordFailure, recordSecurity } from '../../core/security-log.ts'
import { bookSend, countAddress, mailPrefix } from '../../core/send-counters.ts'
import type { Site } from '../../core/sites.ts'
import { isNumbersMatter } from '../../integrations/sms/sms-refusals.ts'
import { deliver, type Receiver } from './deliver.ts'
import { requireProof } from './proof.ts'
import {
  findLiveCode,
  insertSend,
  lockReceiver,
  noteOutcome,
  type Purpose,
  putCode,
  spend,
  takeTry,
} from './verify-code.store.ts'

type Needs = Pick<
  Deps,
  'db' | 'redis' | 'config' | 'clock' | 'log' | 'breaker' | 'mailer' | 'usage' | 'trouble' | 'later'
>

export interface CodeRequest {
  receiver: Receiver
  purpose: Purpose
  address: string
  /** The address or the household it belongs to. */
  bucket: string
  /** Who asks: the browser's mark, or that of the session for a code that counts in it alone. */
  browserHash: Buffer
  proof?: string | undefined
  /** Whether this number or address was proved within 90 days. Asked only where it matters: looking it up takes time that tells. */
  known: () => Promise<boolean>
  /** False for a number that must not learn that it has no account: all is counted, nothing sent. */
  send: boolean
  /** Whether the caller may learn how delivery went; time would tell strangers apart otherwise. */
  wait: boolean
}

const place = (siteId: SiteId, receiver: string, purpose: Purpose) => `${siteId}/code/${purpose}/${receiver}`

/** Sends a code, or says why not. Counted in Redis first, decided under the receiver's lock, sent after the commit. */
export async function sendCode(deps: Needs, site: Site, request: CodeRequest): Promise<{ retryAfter: number }> {
  const limits = codeLimits(site.config)
  const { receiver, address, bucket } = request
  const asked = await countAddress(deps, site.id, bucket, limits)
  if (asked < 0) throw await limited(deps, site, request, -asked)
  if (asked > limits.addressProof) await requireProof(deps, `${site.id} ${receiver.value} ${bucket}`, request.proof)
  const prefix = receiver.kind === 'mobile' ? receiver.mobile.prefix : mailPrefix
  const budget = await bookSend(deps, site.id, { prefix, known: request.known }, limits)
  if (budget.retryAfter) {
    deps.trouble.note(site.id, 'codeRefused')
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
    else deps.later.soon(send)
  }
  return { retryAfter: resendSeconds }
}

interface Decided {
  code: string
  send: { at: string; id: string }
}

function decide(deps: Needs, site: Site, request: CodeRequest): Promise<Decided | { retryAfter: number }> {
  const { receiver, purpose, browserHash } = request
  const { receiverHour, receiverDay } = codeLimits(site.config)
  const { keys } = deps.config
  const where = place(site.id, receiver.value, purpose)
  return deps.db.transaction().execute(async (tx) => {
    const state = await lockReceiver(tx, site.id, receiver.value, resendSeconds)
    if (state.wait > 0) return { retryAfter: state.wait }
    if (state.lastHour >= receiverHour) return { retryAfter: 3_600 }
    if (state.lastDay >= receiverDay) return { retryAfter: 86_400 }
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
    return { code, send: await insertSend(tx, site.id, receiver.value, purpose) }
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
  if (outcome.kind !== 'sent' && !isNumbersMatter(outcome))
    deps.trouble.note(site.id, receiver.kind === 'mobile' ? 'smsFailed' : 'mailFailed')
  if (outcome.kind === 'refused') throw new AppError('CODE_SEND_FAILED')
  if (purpose === 'login') deps.usage.countStep(site.id, 'codeSent')
}

async function limited(deps: Needs, site: Site, { address }: CodeRequest, retryAfter: number): Promise<AppError> {
  await recordFailure(deps.db, site.id, { event: 'code.limited', address })
  return new AppError('CODE_SEND_LIMITED', { retryAfter })
}

export interface CodeTry {
  receiver: string
  purpose: Purpose
  code: string
  browserHash: Buffer
  address: string
}

/** A code that was right when it was tried; spend it in the transaction of its effect. */
export interface RightCode {
  receiver: string
  purpose: Purpose
  hmac: Buffer
}

/** Counts the try, then compares. What is wrong, unknown or expired looks the same. */
export async function tryCode(deps: Pick<Deps, 'db' | 'config'>, site: Site, attempt: CodeTry): Promise<RightCode> {
  const { receiver, purpose, code, browserHash, address } = attempt
  const tried = await takeTry(deps.db, site.id, receiver, purpose, browserHash)
  if (tried === 'exceeded') {
    await recordFailure(deps.db, site.id, { event: 'code.exceeded', address })
    throw new AppError('CODE_TRIES_EXCEEDED')
  }
  const text = `${place(site.id, receiver, purpose)} ${code}`
  if (!tried || !matchesKeyedHash(deps.config.keys, 'code', text, tried.hmac)) {
    await recordFailure(deps.db, site.id, { event: 'code.wrong', address })
    throw new AppError('CODE_WRONG')
  }
  return { receiver, purpose, hmac: tried.hmac }
}

/** Within the transaction of what the code is for: a failed effect doesn't burn it, and of many at once one succeeds. */
export async function spendCode(tx: Db, siteId: SiteId, { receiver, purpose, hmac }: RightCode): Promise<void> {
  if (!(await spend(tx, siteId, receiver, purpose, hmac))) throw new AppError('CODE_WRONG')
}
