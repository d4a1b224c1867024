import { fallbackRegion, type Region } from '@hufu/contract/regions'
import { type LoginMethod, loginMethods, type SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import { regionOf } from './region-table.ts'
import type { Site } from './sites.ts'

/** The ways to sign in that a site offers. */
export interface LoginOptions {
  readonly methods: readonly LoginMethod[]
  /** Whose mobile numbers are accepted. */
  readonly regions: readonly Region[]
  /** The dial prefixes of the regions. */
  readonly prefixes: readonly string[]
  /** Whether the site has an official account at WeChat; scanning with a signed-in phone needs none. */
  readonly wechatEnabled: boolean
}

const isMethod = (name: string): name is LoginMethod => (loginMethods as readonly string[]).includes(name)

/** A config is checked when it is saved. One that was changed by SQL must not stop the refresh of all other sites. */
const listOf = <Item>(value: Item[] | undefined): Item[] => (Array.isArray(value) ? value.filter(Boolean) : [])

/** A method named twice shows once; unknown names are ignored; none left means all. */
function methodsOf(config: SiteConfig): LoginMethod[] {
  const named = [...new Set(listOf(config.methods))].filter(isMethod)
  return named.length > 0 ? named : [...loginMethods]
}

/** Keys are expanded from our own table; a key that isn't in it is left out. */
function regionsOf(config: SiteConfig): Region[] {
  const regions = listOf(config.regions).flatMap((named) => {
    if (typeof named === 'string') return regionOf(named) ?? []
    const { key, name, names = [], nativeName = name, language, languages = [], prefix } = named
    return { key, name, names, nativeName, language, languages, prefix }
  })
  return regions.length > 0 ? regions : [fallbackRegion]
}

export function loginOptionsOf(config: SiteConfig): LoginOptions {
  const regions = regionsOf(config)
  return {
    methods: methodsOf(config),
    regions,
    prefixes: regions.map(({ prefix }) => prefix),
    wechatEnabled: Boolean(config.wechat?.appId && config.wechat.secret),
  }
}

export function requireMethod({ login }: Pick<Site, 'login'>, method: LoginMethod): void {
  if (!login.methods.includes(method)) throw new AppError('METHOD_DISABLED')
}
