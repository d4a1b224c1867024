import { recoveryHours } from '@hufu/contract/personal-data-rules'
import { sendSms } from '../../integrations/sms/send-sms.ts'
import { isNumberRefusal } from '../../integrations/sms/sms-refusals.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import { codeLimits } from '../send-limits/code-limits.ts'
import { bookSend, countNotice } from '../send-limits/send-counters.ts'
import { smsAccounts } from '../sites/site-gateways.ts'
import type { Site } from '../sites/sites.ts'

const queue = 'sms-notice'

/** An SMS about an account; its text is the gateway's template, which takes a time and an event. */
export interface SmsNotice {
  siteId: SiteId
  prefix: string
  mobile: string
  time: string
  event: string
  /** Which of the gateway's templates. */
  purpose?: 'notice' | 'feedback'
  /** Seconds for which it was delayed. */
  waited?: number
}

/** Never retried once a gateway was asked: delivery can't be known for sure, and a second SMS costs money and trust. */
export async function queueSms(tx: Db, notice: SmsNotice, seconds = 0): Promise<void> {
  await enqueue(tx, queue, notice, { retries: 0, timeout: 900, delay: seconds })
}

/** As long as a user has to stop a recovery of their account: until then an SMS is still worth sending. */
const mostWaited = recoveryHours * 3_600
/** How soon one that couldn't be counted is retried. */
const uncountedSeconds = 60

type Needs = Pick<Deps, 'db' | 'sites' | 'config' | 'clock' | 'log' | 'breaker' | 'redis' | 'deliveryFailures'>

type Booking = { giveBack(): Promise<void> } | { wait: number } | 'enough'

/**
 * SMS notices are booked on the quotas of codes, beyond what strangers may spend, so that an attacker can't suppress
 * them, but without the part that is reserved for codes to own numbers. A number gets the same notice a few times a day
 * at most: repeated changes of an account must not spend the site's money.
 */
async function book({ db, redis, log }: Needs, site: Site, { prefix, mobile, event }: SmsNotice): Promise<Booking> {
  const budget = await bookSend({ db, redis, log }, site.id, { prefix, asker: 'proved' }, codeLimits(site.config))
  if (budget.retryAfter) return { wait: budget.retryAfter }
  const about = sha256(`${prefix} ${mobile} ${event}`).toString('base64url')
  if ((await countNotice({ redis }, site.id, about)) > 0) return budget
  await budget.giveBack()
  return 'enough'
}

/** What can't be booked now is delayed, not lost: nothing was sent for sure. */
async function putOff({ db, log, deliveryFailures }: Needs, notice: SmsNotice, seconds: number): Promise<void> {
  const waited = (notice.waited ?? 0) + seconds
  if (waited > mostWaited) {
    log.warn({ site: notice.siteId }, 'an SMS notice was dropped: no quota is left')
    return deliveryFailures.note(notice.siteId, 'smsFailed')
  }
  await queueSms(db, { ...notice, waited }, seconds)
}

export function smsNoticeJob(deps: Needs): Job {
  return {
    name: queue,
    retries: 0,
    async run(data) {
      const notice = data as SmsNotice
      const site = deps.sites.get(notice.siteId)
      if (!site) return
      const booking = await book(deps, site, notice).catch(() => ({ wait: uncountedSeconds }))
      if (booking === 'enough') return
      if ('wait' in booking) return await putOff(deps, notice, booking.wait)
      const outcome = await send(deps, site, notice)
      if (outcome.kind === 'sent') return
      if (outcome.kind === 'refused') await booking.giveBack()
      if (isNumberRefusal(outcome)) return
      throw new Error(`delivery of the notice is not confirmed: ${outcome.kind}`)
    },
    givenUp: (data) => deps.deliveryFailures.note((data as SmsNotice).siteId, 'smsFailed'),
  }
}

function send(deps: Needs, site: Site, { prefix, mobile, time, event, purpose = 'notice' }: SmsNotice) {
  const params = [
    { name: 'time', value: time },
    { name: 'event', value: event },
  ]
  const needs = { ...deps, smsUrls: deps.config.smsUrls }
  return sendSms(needs, smsAccounts(deps.config.keys, site), { prefix, mobile, purpose, params })
}

/** Whether the site can send such a notice by SMS. */
export const textsNotices = (site: Site, purpose: 'notice' | 'feedback' = 'notice'): boolean =>
  (site.config.sms?.gateways ?? []).some(({ templates }) => templates?.[purpose] !== undefined)
