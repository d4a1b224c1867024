import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { findParties } from './config-versions.store.ts'

/** Origins that no client of this id had before: only those of the first version are still accepted. */
function looseFaults(former: SiteConfig, { clients = [] }: SiteConfig): ConfigFault[] {
  return clients.flatMap(({ id, sources = [] }, index) => {
    const had = former.clients?.find((client) => client.id === id)?.sources ?? []
    return sources.flatMap((source, at) =>
      had.includes(source)
        ? []
        : [
            {
              path: ['clients', index, 'sources', at],
              message: '不再接受新的来源地址，请在 returns 中填写完整的返回地址，并让应用使用 PKCE',
            },
          ],
    )
  })
}

const parties = { true: '自己的应用', false: '第三方应用' }

/**
 * First-party clients know a user by another id than third-party ones, so a change would make strangers of all its
 * users. A client that was removed meanwhile has users too, hence all versions count.
 */
async function partyFaults(
  db: Db,
  siteId: SiteId,
  former: SiteConfig,
  { clients = [] }: SiteConfig,
): Promise<ConfigFault[]> {
  const wanted = clients.flatMap(({ id, kind, firstParty = false }, index) =>
    kind && kind !== 'machine' ? [{ id, firstParty, index }] : [],
  )
  const unsure = wanted.filter(
    ({ id, firstParty }) =>
      !former.clients?.some((client) => client.id === id && client.kind && (client.firstParty ?? false) === firstParty),
  )
  if (unsure.length === 0) return []
  const known = await findParties(
    db,
    siteId,
    unsure.map(({ id }) => id),
  )
  return unsure
    .filter(({ id, firstParty }) => known.some((client) => client.id === id && client.firstParty !== firstParty))
    .map(({ firstParty, index }) => ({
      path: ['clients', index, 'firstParty'],
      message: `该应用已登记为${parties[`${!firstParty}`]}，改变后它将认不出已有的用户；如需更改，请换用新的应用编号`,
    }))
}

/** What a config may not change about the clients that there were. */
export async function formerFaults(
  db: Db,
  siteId: SiteId,
  former: SiteConfig,
  next: SiteConfig,
): Promise<ConfigFault[]> {
  return [...looseFaults(former, next), ...(await partyFaults(db, siteId, former, next))]
}

export async function requireFormerClients(
  db: Db,
  siteId: SiteId,
  former: SiteConfig,
  next: SiteConfig,
): Promise<void> {
  const [fault] = await formerFaults(db, siteId, former, next)
  if (fault) throw new AppError('INPUT_INVALID', { field: fault.path.join('.'), reason: fault.message })
}

/** A new site has no clients of the first version. */
export function requireNewClients(config: SiteConfig): void {
  const [fault] = looseFaults({}, config)
  if (fault) throw new AppError('INPUT_INVALID', { field: fault.path.join('.'), reason: fault.message })
}
