import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Outcome } from '../integrations/outcome.ts'
import { sendSms } from '../integrations/sms/send-sms.ts'
import { codeLimits } from './code-limits.ts'
import type { Db } from './db.ts'
import type { Deps } from './deps.ts'
import type { SiteId } from './ids.ts'
import type { Job } from './jobs.ts'
import { bookSend } from './send-counters.ts'
import { smsGateways } from './site-gateways.ts'
import { secretPaths, unsealSecret } from './site-secrets.ts'
import type { Site } from './sites.ts'

/** A mail about an account, in the words of whoever queues it. */
export interface MailNotice {
  siteId: SiteId
  to: string
  subject: string
  text: string
  /** Stays the same however often the job runs, so that a double can be known by it. */
  id: string
}

const mailQueue = 'mail-notice'
const smsQueue = 'sms-notice'

/** Queued in the transaction of its cause: there is one exactly when that happened. */
export async function queueMail(tx: Db, notice: Omit<MailNotice, 'id'>): Promise<void> {
  const data = JSON.stringify({ ...notice, id: randomUUID() })
  await sql`INSERT INTO pgboss.job (name, data, retry_limit, retry_backoff, expire_seconds)
    VALUES (${mailQueue}, ${data}, 5, true, 120)`.execute(tx)
}

/** Sends one now; undefined when the site sends no mail. */
export async function sendMail(
  deps: Pick<Deps, 'sites' | 'config' | 'mailer'>,
  { siteId, to, subject, text, id }: MailNotice,
): Promise<Outcome | undefined> {
  const site = deps.sites.get(siteId)
  const mail = site?.config.mail
  if (!site || !mail) return undefined
  const password = unsealSecret(deps.config.keys, siteId, secretPaths.mail(mail.host, mail.port), mail.password)
  const messageId = `<${id}@${new URL(site.origin).hostname}>`
  return await deps.mailer.send(
    { ...mail, password },
    { to, subject, text: `${text}\n\n${site.config.name ?? ''}\n${site.origin}`, messageId },
  )
}

/** Sends what was queued; what may have arrived already is sent again, under the same id. */
export function mailNoticeJob(deps: Pick<Deps, 'sites' | 'config' | 'mailer' | 'log'>): Job {
  return {
    name: mailQueue,
    async run(data) {
      const notice = data as MailNotice
      const outcome = await sendMail(deps, notice)
      if (!outcome) return deps.log.warn({ site: notice.siteId }, 'a notice has no way to go: the site sends no mail')
      if (outcome.kind !== 'sent') throw new Error(`the notice was not surely sent: ${outcome.kind}`)
    },
  }
}

/** A text about an account; its words are the gateway's template, which takes a time and what happened. */
export interface SmsNotice {
  siteId: SiteId
  prefix: string
  mobile: string
  time: string
  event: string
  /** Which of the gateway's templates. */
  purpose?: 'notice' | 'feedback'
}

/** Never tried twice: whether a text arrived can't be known for sure, and a second one costs money and trust. */
export async function queueSms(tx: Db, notice: SmsNotice): Promise<void> {
  await sql`INSERT INTO pgboss.job (name, data, retry_limit) VALUES (${smsQueue}, ${JSON.stringify(notice)}, 0)`.execute(
    tx,
  )
}

/** Counted on the same budgets as codes, also on what is kept for known numbers: nothing is texted uncounted. */
async function bookText(deps: Pick<Deps, 'redis' | 'log'>, { id, config }: Site, prefix: string): Promise<boolean> {
  const { retryAfter } = await bookSend(deps, id, { prefix, known: async () => true }, codeLimits(config))
  return retryAfter === undefined
}

export function smsNoticeJob(deps: Pick<Deps, 'sites' | 'config' | 'clock' | 'log' | 'breaker' | 'redis'>): Job {
  return {
    name: smsQueue,
    retries: 0,
    async run(data) {
      const { siteId, prefix, mobile, time, event, purpose = 'notice' } = data as SmsNotice
      const site = deps.sites.get(siteId)
      if (!site || !(await bookText(deps, site, prefix))) return
      const params = [
        { name: 'time', value: time },
        { name: 'event', value: event },
      ]
      const outcome = await sendSms({ ...deps, smsUrls: deps.config.smsUrls }, smsGateways(deps.config.keys, site), {
        prefix,
        mobile,
        purpose,
        params,
      })
      if (outcome.kind !== 'sent') throw new Error(`the notice was not surely sent: ${outcome.kind}`)
    },
  }
}

/** Whether the site can text such a notice at all. */
export const textsNotices = (site: Site, purpose: 'notice' | 'feedback' = 'notice'): boolean =>
  (site.config.sms?.gateways ?? []).some(({ templates }) => templates?.[purpose] !== undefined)
