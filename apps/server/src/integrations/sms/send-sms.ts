import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Breaker } from '../breaker.ts'
import { type Outcome, refused } from '../outcome.ts'
import type { SmsAccount, SmsAnswer, SmsMessage, SmsParam, SmsUrls } from './gateway.ts'
import { gatewayOf } from './gateways.ts'
import { post } from './post.ts'
import { clearerRefusal } from './sms-refusals.ts'

export interface SmsDeps {
  clock: Clock
  log: Log
  breaker: Breaker
  config: { insecureHttp: boolean }
  smsUrls: SmsUrls
  /** Three seconds unless a test can't wait. */
  smsTimeoutMs?: number
}

export interface Sms {
  prefix: string
  mobile: string
  purpose: string
  params: SmsParam[]
}

export type SmsOutcome = Outcome & { gateway: string | undefined }

/**
 * Tries the gateways in order and goes on to the next only after a refusal. A carrier's limit is a refusal too: it
 * counts by signature, and the next gateway has another one.
 */
export async function sendSms(deps: SmsDeps, accounts: readonly SmsAccount[], sms: Sms): Promise<SmsOutcome> {
  let refusal: SmsOutcome = { ...refused('NO_GATEWAY', 'the site has no gateway'), gateway: undefined }
  for (const account of accounts) {
    const outcome: SmsOutcome = { ...(await sendThrough(deps, account, sms)), gateway: account.kind }
    if (outcome.kind === 'sent') return outcome
    warn(deps.log, outcome, sms.purpose)
    if (outcome.kind === 'unknown') return outcome
    refusal = clearerRefusal(refusal, outcome)
  }
  return refusal
}

async function sendThrough(deps: SmsDeps, account: SmsAccount, sms: Sms): Promise<Outcome> {
  const gateway = gatewayOf(account.kind)
  if (!gateway) return refused('NO_GATEWAY', 'this version has no such gateway')
  const template = account.templates?.[sms.purpose]
  if (!template) return refused('NO_TEMPLATE', 'the gateway has no template for this purpose')
  const baseUrl = gateway.baseUrl(deps.smsUrls, account)
  const message: SmsMessage = { prefix: sms.prefix, mobile: sms.mobile, template, params: sms.params }
  const moment = { now: deps.clock.now(), nonce: randomUUID() }
  const request = gateway.request(baseUrl, account, message, moment)
  if ('kind' in request) return request
  const options = {
    timeoutMs: deps.smsTimeoutMs ?? 3_000,
    insecureHttp: deps.config.insecureHttp,
    read: (answer: SmsAnswer) => gateway.read(answer, account),
  }
  return deps.breaker.run(`sms/${account.kind}/${new URL(baseUrl).host}`, () => post(request, options))
}

function warn(log: Log, outcome: SmsOutcome, purpose: string) {
  const { gateway } = outcome
  if (outcome.kind === 'unknown') {
    log.warn({ gateway, purpose, reason: outcome.reason }, 'it is unknown whether an SMS was sent')
  } else if (outcome.kind === 'refused') {
    log.warn({ gateway, purpose, refusal: outcome.code, message: outcome.message }, 'an SMS was refused')
  }
}
