import type { Job } from '../../platform/jobs/jobs.ts'
import { chinaDay, chinaMidnight } from '../../shared/china-day.ts'
import type { Deps } from '../../shared/deps.ts'
import { deleteHours, listSites, rollDays } from './usage-days.store.ts'

const againDays = 3
const hoursKeptDays = 70

/** Sums up hours to days, one site after the other. Old hours are deleted, and never before their day is made. */
export function usageDaysJob({ db, clock }: Pick<Deps, 'db' | 'clock'>): Job {
  return {
    name: 'usage-days',
    cron: '7 * * * *',
    async run() {
      const today = chinaDay(clock.now())
      for (const site of await listSites(db)) {
        await rollDays(db, site, new Date(chinaMidnight(today)), againDays)
        await deleteHours(db, site, new Date(chinaMidnight(today - hoursKeptDays)))
      }
    },
  }
}
