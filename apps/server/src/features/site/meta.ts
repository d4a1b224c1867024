import { fallbackRegion, type Region } from '@hufu/contract/regions'
import { type LoginMethod, loginMethods, type SiteConfig, type SiteMeta } from '@hufu/contract/site'
import { regionOf } from '../../shared/sites/region-table.ts'
import { perSite } from '../../shared/sites/sites.ts'

const defaultName = '账号中心'
const defaultPrimary = '#5374fa'

const isMethod = (name: string): name is LoginMethod => (loginMethods as readonly string[]).includes(name)

/** A method named twice shows once; unknown names are ignored; none left means all. */
function methodsOf(config: SiteConfig): LoginMethod[] {
  const named = [...new Set(config.methods ?? [])].filter(isMethod)
  return named.length > 0 ? named : [...loginMethods]
}

/** Keys are expanded from our own table; a key that isn't in it is left out. */
function regionsOf(config: SiteConfig): Region[] {
  const regions = (config.regions ?? []).flatMap((named) => {
    if (typeof named === 'string') return regionOf(named) ?? []
    const { key, name, names = [], nativeName = name, language, languages = [], prefix } = named
    return { key, name, names, nativeName, language, languages, prefix }
  })
  return regions.length > 0 ? regions : [fallbackRegion]
}

/** The public part of a config, chosen field by field: a new section is private until it is named here. */
export function publicMeta(config: SiteConfig): SiteMeta {
  const { name, site, support, bg, vbg, logoIcon, logoImage, agreements, icp, police } = config
  const optional = { site, support, bg, vbg, logoIcon, logoImage, icp, police }
  return {
    name: name ?? defaultName,
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) as typeof optional),
    methods: methodsOf(config),
    regions: regionsOf(config),
    theme: { primary: config.theme?.primary ?? defaultPrimary },
    ...(agreements && {
      agreements: { terms: agreements.terms, privacy: agreements.privacy, version: agreements.version },
    }),
    languages: config.languages ?? ['zh-CN'],
    registration: config.registration ?? 'open',
    wechatEnabled: Boolean(config.wechat?.appId && config.wechat.secret),
  }
}

export const metaOf = perSite((site) => publicMeta(site.config))
