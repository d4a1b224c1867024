import type { Db } from '../../core/db.ts'
import type { Deps } from '../../core/deps.ts'
import type { SiteId } from '../../core/ids.ts'
import type { Job } from '../../core/jobs.ts'
import { sealSome, sitesToSeal } from './user-buckets.store.ts'

/** All full buckets of a site, some at a time: nobody who is being deleted waits for long. */
export async function sealBuckets(db: Db, siteId: SiteId): Promise<void> {
  while (await sealSome(db, siteId));
}

export function userBucketsJob({ db }: Pick<Deps, 'db'>): Job {
  return {
    name: 'user-buckets',
    cron: '* * * * *',
    async run() {
      for (const siteId of await sitesToSeal(db)) await sealBuckets(db, siteId)
    },
  }
}
