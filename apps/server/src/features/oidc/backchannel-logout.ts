import { isFinal, sendLogoutToken } from '../../integrations/webhook/webhook.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Deps } from '../../shared/deps.ts'
import type { LogoutNotice } from '../../shared/oidc/ends.store.ts'
import { signingKeys } from './keys.ts'
import { logoutToken } from './logout-token.ts'
import { clientSubject } from './subject.ts'

type Needs = Pick<Deps, 'db' | 'sites' | 'config' | 'breaker' | 'clock' | 'log'>

/** The client to notify; undefined where it is gone or wants no notification. */
function receiverOf({ sites }: Needs, { siteId, clientId }: LogoutNotice) {
  const site = sites.get(siteId)
  const client = site?.config.clients?.find(({ id }) => id === clientId)
  return site && client?.kind && client.backchannelUrl ? { site, client, url: client.backchannelUrl } : undefined
}

/** Notifies a client that a session has ended. A retry has a new token under the same id. */
export function backchannelLogoutJob(deps: Needs): Job {
  return {
    name: 'oidc-logout',
    retries: 8,
    async run(data) {
      const notice = data as LogoutNotice
      const { siteId, clientId, userId, sid, id } = notice
      const about = { site: siteId, client: clientId, delivery: id }
      const receiver = receiverOf(deps, notice)
      if (!receiver) return deps.log.debug(about, 'a client takes no back-channel logout')
      const { site, client, url } = receiver
      const [key] = await signingKeys(deps, siteId)
      if (!key) throw new Error(`site ${siteId} has no signing key`)
      const sub = await clientSubject(deps, siteId, client, userId)
      const token = await logoutToken(key, deps.clock.now(), { iss: site.origin, aud: clientId, sub, sid, jti: id })
      const outcome = await sendLogoutToken(deps, { url, delivery: id, token })
      if (outcome.kind === 'sent') return deps.log.info(about, 'a client was notified of a logout')
      const answer = outcome.kind === 'refused' ? outcome.code : outcome.reason
      deps.log.warn({ ...about, answer }, 'delivery of a back-channel logout is not confirmed')
      if (!isFinal(outcome)) throw new Error(`delivery of the back-channel logout is not confirmed: ${answer}`)
    },
  }
}
