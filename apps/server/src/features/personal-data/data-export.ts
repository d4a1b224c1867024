import { z } from 'zod'
import { insertBlob } from '../../platform/blobs.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { makeArchive } from './archive.ts'
import { failExport, finishExport, noteProgress } from './data-export.store.ts'
import { readWhose } from './personal-data.store.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'sites'>

const queued = z.object({ siteId: z.string(), userId: z.string(), id: z.string() })

interface Wanted {
  site: Site
  userId: UserId
  id: string
}

/** The archive as the tables are at one moment; undefined when the user was erased. */
async function archiveOf({ db, clock }: Needs, { site, userId, id }: Wanted): Promise<Buffer | undefined> {
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const whose = await readWhose(tx, site.id, userId)
      if (!whose) return undefined
      const { origin } = site
      const about = { site: site.config.name ?? origin, origin, userId, time: new Date(clock.now()) }
      return await makeArchive(tx, about, whose, async (done) => {
        await noteProgress(db, site.id, userId, id, done)
      })
    })
}

/** Small enough to start over where a worker was killed. */
export function dataExportJob(deps: Needs): Job {
  return {
    name: 'data-export',
    // Each holds a connection for its snapshot and needs another one.
    atOnce: 2,
    async run(data) {
      const { siteId, userId, id } = queued.parse(data)
      const site = deps.sites.get(siteId as SiteId)
      if (!site) return
      const wanted = { site, userId: userId as UserId, id }
      if (!(await noteProgress(deps.db, site.id, wanted.userId, id, 0))) return
      const bytes = await archiveOf(deps, wanted)
      if (!bytes) return
      await deps.db.transaction().execute(async (tx) => {
        if (!(await finishExport(tx, site.id, wanted.userId, id))) return
        const blob = { id, ownerId: wanted.userId, kind: 'export', type: 'application/zip', bytes } as const
        await insertBlob(tx, site.id, blob)
      })
    },
  }
}

/** Jobs that failed for the last time. */
export function failedDataExportJob({ db }: Pick<Deps, 'db'>): Job {
  return {
    name: 'data-export-failed',
    async run(data) {
      const { siteId, userId, id } = queued.parse(data)
      await failExport(db, siteId as SiteId, userId as UserId, id)
    },
  }
}
