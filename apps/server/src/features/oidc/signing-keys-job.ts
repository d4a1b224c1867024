import type { Job } from '../../platform/jobs/jobs.ts'
import type { Deps } from '../../shared/deps.ts'
import { rotateSigningKeys, sitesWithKeys } from './keys.ts'

/** How long a key signs. */
const signingDays = 90

/** Each site on its own: a failure doesn't keep the others from theirs, and the retry finds the rest. */
export function signingKeysJob(deps: Pick<Deps, 'db' | 'config' | 'log'>): Job {
  return {
    name: 'oidc-keys',
    cron: '43 2 * * *',
    async run() {
      const failures: Error[] = []
      for (const site of await sitesWithKeys(deps, signingDays))
        await rotateSigningKeys(deps, site, undefined).then(
          () => deps.log.info({ site }, 'the signing keys of a site were rotated'),
          (error) => void failures.push(error),
        )
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} sites keep their signing keys`)
    },
  }
}
