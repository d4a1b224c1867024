import type { SiteId } from '../../platform/ids.ts'

/** An endpoint that this worker alone delivers to, for now. */
export interface HeldEndpoint {
  siteId: SiteId
  id: string
  url: string
  worker: string
}
