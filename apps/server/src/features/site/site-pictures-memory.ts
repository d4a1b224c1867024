import { sitePicturePath } from '@hufu/contract/picture-rules'
import { perSite, type Site } from '../../shared/sites/sites.ts'

/** The memory limit for all sites together. */
const usualBytes = 64 * 1024 * 1024

export interface PictureMemory {
  find(site: Site, id: unknown): Buffer | undefined
  /** Does nothing for a picture that no page shows. */
  keep(site: Site, id: string, bytes: Buffer): void
}

const shownBy = perSite(({ config: { bg, vbg, logoIcon, logoImage } }) => new Set([bg, vbg, logoIcon, logoImage]))
const isShown = (site: Site, id: string) => shownBy(site).has(sitePicturePath(id))

/**
 * Caches the pictures of the present configs, so that pages keep their look during an outage of the stores. Least
 * recently used ones are evicted.
 */
export function createPictureMemory(mostBytes = usualBytes): PictureMemory {
  /** In the order of last use. */
  const kept = new Map<string, Buffer>()
  let held = 0

  function drop(key: string) {
    held -= kept.get(key)?.length ?? 0
    kept.delete(key)
  }

  return {
    find(site, id) {
      if (typeof id !== 'string' || !isShown(site, id)) return undefined
      const key = `${site.id} ${id}`
      const bytes = kept.get(key)
      if (!bytes) return undefined
      kept.delete(key)
      kept.set(key, bytes)
      return bytes
    },
    keep(site, id, bytes) {
      if (!isShown(site, id) || bytes.length > mostBytes) return
      const key = `${site.id} ${id}`
      drop(key)
      for (const oldest of kept.keys()) {
        if (held + bytes.length <= mostBytes) break
        drop(oldest)
      }
      kept.set(key, bytes)
      held += bytes.length
    },
  }
}
