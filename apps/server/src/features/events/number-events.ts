import type { Job } from '../../platform/jobs/jobs.ts'
import { repeatEvery } from '../../platform/repeat-every.ts'
import type { Deps } from '../../shared/deps.ts'
import { dropOldEvents, numberEvents, sitesToNumber, sitesWithEvents } from './events.store.ts'

type Needs = Pick<Deps, 'db' | 'log'>

/** How soon an event can be read and delivered. */
const everyMs = 250

/** All that are committed by now, in any number of workers at once. */
export async function numberAll({ db }: Pick<Deps, 'db'>): Promise<number> {
  let total = 0
  for (const siteId of await sitesToNumber(db)) {
    for (let numbered = 1; numbered > 0; total += numbered)
      numbered = await db.transaction().execute((tx) => numberEvents(tx, siteId))
  }
  return total
}

/** Runs in every worker. */
export function startNumbering(deps: Needs): { stop(): void } {
  return repeatEvery(everyMs, () =>
    numberAll(deps).then(
      () => {},
      (error) => deps.log.warn({ err: error }, 'events wait for their positions'),
    ),
  )
}

export function dropOldEventsJob({ db }: Pick<Deps, 'db'>): Job {
  return {
    name: 'event-drop',
    cron: '47 * * * *',
    async run() {
      for (const siteId of await sitesWithEvents(db))
        while (await db.transaction().execute((tx) => dropOldEvents(tx, siteId)));
    },
  }
}
