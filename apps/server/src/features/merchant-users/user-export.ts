import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import type { SiteId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { csvHead, csvLines } from './user-csv.ts'
import { failExport, keepPart, type Progress, queueExport, readProgress } from './user-export.store.ts'
import { fittingOf } from './user-list.service.ts'
import { filtered, type Reached, readOnward } from './user-list.store.ts'

type Needs = Pick<Deps, 'db' | 'clock' | 'sites'>

const rowsAtOnce = 5_000
/** Then the next job continues: the jobs of a killed worker are found soon, and other exports get their turn. */
const sliceMs = 20_000

const compress = promisify(gzip)

const queued = z.object({ siteId: z.string(), id: z.string() })

/** The progress: which of the groups that a search matches, and which user of it. */
interface Cursor {
  kind: number
  reached?: Reached | undefined
}

interface Running {
  site: Site
  id: string
  until: number
}

/** The next rows after a cursor, and where the rows after those begin; undefined when there are none. */
async function readRows({ db }: Needs, { site }: Running, { wanted, cursor }: Progress<Cursor>) {
  const all = [filtered(site.id, {})]
  const kinds = (await fittingOf({ db }, site, wanted)) ?? all
  const { kind, reached } = cursor ?? { kind: 0 }
  const fitting = kinds[kind]
  const rows = fitting ? await readOnward(db, site.id, fitting, reached, rowsAtOnce) : []
  const last = rows.at(-1)
  if (last && rows.length === rowsAtOnce) return { rows, next: { kind, reached: { key: last.key, id: last.id } } }
  return { rows, next: kind + 1 < kinds.length ? { kind: kind + 1 } : undefined }
}

/** Writes one part, a whole gzip member of its own; answers whether this job continues. */
async function writePart(deps: Needs, running: Running): Promise<boolean> {
  const { site, id, until } = running
  const progress = await readProgress<Cursor>(deps.db, site.id, id)
  if (!progress) return false
  const { rows, next } = await readRows(deps, running, progress)
  const bytes = await compress((progress.parts === 0 ? csvHead : '') + csvLines(rows))
  const goesOn = next !== undefined && deps.clock.now() < until
  const kept = await deps.db.transaction().execute(async (tx) => {
    const part = { number: progress.parts, rows: rows.length, bytes, cursor: next }
    const mine = await keepPart(tx, site.id, id, part)
    if (mine && next && !goesOn) await queueExport(tx, site.id, id)
    return mine
  })
  return kept && goesOn
}

/** Resumes where the last job stopped: a part and the cursor after it are committed together. */
export function userExportJob(deps: Needs): Job {
  return {
    name: 'user-export',
    async run(data) {
      const { siteId, id } = queued.parse(data)
      const site = deps.sites.get(siteId as SiteId)
      if (!site) return
      const running = { site, id, until: deps.clock.now() + sliceMs }
      while (await writePart(deps, running));
    },
  }
}

/** Jobs that failed for the last time. */
export function failedExportJob({ db }: Pick<Deps, 'db'>): Job {
  return {
    name: 'user-export-failed',
    async run(data) {
      const { siteId, id } = queued.parse(data)
      await failExport(db, siteId as SiteId, id)
    },
  }
}
