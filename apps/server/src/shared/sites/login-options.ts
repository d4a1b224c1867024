import type { Region } from '@hufu/contract/regions'
import type { LoginMethod } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import type { Site } from './sites.ts'

/** The ways to sign in that a site offers. */
export type LoginOptionsOf = (site: Site) => {
  methods: readonly LoginMethod[]
  regions: readonly Region[]
  wechatEnabled: boolean
}

export function requireMethod(methods: readonly LoginMethod[], method: LoginMethod): void {
  if (!methods.includes(method)) throw new AppError('METHOD_DISABLED')
}
