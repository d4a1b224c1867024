import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import type { SiteId } from '../../platform/ids.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { type EndpointState, listEndpointStates, resumeEndpoint } from './endpoints.store.ts'

type Needs = Pick<Deps, 'db'>

export interface ShownWebhook extends EndpointState {
  /** Empty stands for all. */
  types: string[]
  /** How many secrets sign. */
  secrets: number
}

/** The endpoints of the config, with what became of their deliveries. */
export async function listWebhooks(
  { db }: Needs,
  siteId: SiteId,
  { webhooks = [] }: SiteConfig,
): Promise<ShownWebhook[]> {
  const states = await listEndpointStates(db, siteId)
  return webhooks.flatMap(({ id, types = [], secret, previousSecret }) => {
    const state = states.find((each) => each.id === id)
    return state ? [{ ...state, types: [...types], secrets: [secret, previousSecret].filter(Boolean).length }] : []
  })
}

/** Sends everything that waits, and what happened since, as far as it is kept. */
export async function resumeWebhook({ db }: Needs, siteId: SiteId, id: string, operator: string): Promise<null> {
  await db.transaction().execute(async (tx) => {
    if (!(await resumeEndpoint(tx, siteId, id))) throw new AppError('NOT_FOUND')
    await recordOperator(tx, siteId, { operator, action: 'webhook.resume', target: id })
  })
  return null
}
