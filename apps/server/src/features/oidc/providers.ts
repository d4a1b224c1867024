import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { SiteProvider } from './provider.ts'

/** A provider takes up to 100 KB; sites beyond these build theirs again when they are next asked for. */
const keptProviders = 200

export type ProviderOf = (site: Site) => Promise<SiteProvider>

/**
 * The provider of a site: made when it is first asked for, and again when anything about the site changes. The library
 * is loaded by the first: a deployment without clients does without its 46 MB.
 */
export function createProviders(deps: Deps, cookie: string): ProviderOf {
  const kept = new Map<string, { site: Site; provider: Promise<SiteProvider> }>()

  async function make(site: Site): Promise<SiteProvider> {
    const [{ createProvider }, { pairwiseSalt, signingKeys }] = await Promise.all([
      import('./provider.ts'),
      import('./keys.ts'),
    ])
    const [keys, salt] = await Promise.all([signingKeys(deps, site.id), pairwiseSalt(deps, site.id)])
    return createProvider(deps, site, { keys, salt }, cookie)
  }

  return async (site) => {
    const known = kept.get(site.id)
    kept.delete(site.id)
    const entry = known?.site === site ? known : { site, provider: make(site) }
    kept.set(site.id, entry)
    const [oldest] = kept.keys()
    if (kept.size > keptProviders && oldest !== undefined) kept.delete(oldest)
    // One that couldn't be made is tried again with the next request.
    entry.provider.catch(() => kept.get(site.id) === entry && kept.delete(site.id))
    return await entry.provider
  }
}
