import type { SiteId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { sealSome, sitesToClose } from '../users/user-list-index.store.ts'

/** All full buckets of a site, some at a time, so that deletions never wait for long. */
export async function closeBuckets(db: Db, siteId: SiteId): Promise<void> {
  while (await sealSome(db, siteId));
}

export function userListIndexJob({ db }: Pick<Deps, 'db'>): Job {
  return {
    name: 'user-buckets',
    cron: '* * * * *',
    async run() {
      for (const siteId of await sitesToClose(db)) await closeBuckets(db, siteId)
    },
  }
}
