import type { SiteConfig, SiteMeta } from '@hufu/contract/site'
import { loginOptionsOf } from '../../shared/sites/login-options.ts'
import { siteName } from '../../shared/sites/site-name.ts'
import { perSite } from '../../shared/sites/sites.ts'

const defaultPrimary = '#5374fa'

/** The public part of a config, chosen field by field: a new section is private until it is named here. */
export function publicMeta(config: SiteConfig, login = loginOptionsOf(config)): SiteMeta {
  const { site, support, bg, vbg, logoIcon, logoImage, agreements, icp, police } = config
  const optional = { site, support, bg, vbg, logoIcon, logoImage, icp, police }
  return {
    name: siteName(config),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value)) as typeof optional),
    methods: [...login.methods],
    regions: [...login.regions],
    theme: { primary: config.theme?.primary ?? defaultPrimary },
    ...(agreements && {
      agreements: { terms: agreements.terms, privacy: agreements.privacy, version: agreements.version },
    }),
    languages: config.languages ?? ['zh-CN'],
    registration: config.registration ?? 'open',
    wechatEnabled: login.wechatEnabled,
  }
}

export const metaOf = perSite((site) => publicMeta(site.config, site.login))
