import { randomUUID } from 'node:crypto'
import type { Outcome } from '../../integrations/outcome.ts'
import type { SiteId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../deps.ts'
import { secretPaths, unsealSecret } from '../sites/site-secrets.ts'

/** A mail about an account, written by the code that queues it. */
export interface MailNotice {
  siteId: SiteId
  to: string
  subject: string
  text: string
  /** Stays the same for every retry, so that duplicates are recognisable. */
  id: string
}

const mailQueue = 'mail-notice'

/** Queued in the transaction of its cause: there is one exactly when that happened. */
export async function queueMail(tx: Db, notice: Omit<MailNotice, 'id'>): Promise<void> {
  await enqueue(tx, mailQueue, { ...notice, id: randomUUID() })
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

/** Sends queued mails; one that may have arrived already is sent again, under the same id. */
export function mailNoticeJob(deps: Pick<Deps, 'sites' | 'config' | 'mailer' | 'log' | 'deliveryFailures'>): Job {
  const givenUp = (data: unknown) => deps.deliveryFailures.note((data as MailNotice).siteId, 'mailFailed')
  return {
    name: mailQueue,
    async run(data) {
      const notice = data as MailNotice
      const outcome = await sendMail(deps, notice)
      if (!outcome) {
        deps.log.warn({ site: notice.siteId }, 'a notice was dropped: the site has no mail server')
        return givenUp(data)
      }
      if (outcome.kind !== 'sent') throw new Error(`delivery of the notice is not confirmed: ${outcome.kind}`)
    },
    givenUp,
  }
}
