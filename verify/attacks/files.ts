import type { Access } from '@hufu/contract/endpoint'
import { eventsPath } from '@hufu/contract/events'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { dataFilePath } from '@hufu/contract/personal-data-rules'

/** What browsers fetch by GET besides pages and navigations: not of the contract's list, but guarded like a call that is. */
export interface ServedFile {
  path: string
  access: Access
  stepUp: boolean
  /** How often one address may ask for it in a minute. */
  calls?: number
}

export const files: readonly ServedFile[] = [
  { path: exportFilePath, access: 'merchantAdmin', stepUp: true, calls: 60 },
  { path: dataFilePath, access: 'user', stepUp: true, calls: 60 },
  { path: '/api/feedback/picture', access: 'user', stepUp: false, calls: 1_200 },
  { path: eventsPath, access: 'user', stepUp: false },
  { path: '/api/avatar', access: 'public', stepUp: false, calls: 600 },
  { path: '/api/site/picture', access: 'public', stepUp: false, calls: 1_200 },
  { path: '/api/openapi.json', access: 'public', stepUp: false },
  { path: '/healthz', access: 'public', stepUp: false },
  { path: '/readyz', access: 'public', stepUp: false },
]
