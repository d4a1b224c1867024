import { isDeepStrictEqual } from 'node:util'
import type { SiteConfig } from '@hufu/contract/site'
import { type AppearanceOnly, appearanceProof } from '../../shared/step-up/authority.ts'

/** The sections that the schema names; what a config holds besides them is guarded. */
type Section = keyof { [Key in keyof SiteConfig as string extends Key ? never : Key]: true }

/** What an operator may change without a step-up is appearance alone. A new section must be classified here to compile. */
export const classification: Record<Section, 'appearance' | 'guarded'> = {
  name: 'appearance',
  theme: 'appearance',
  logoIcon: 'appearance',
  logoImage: 'appearance',
  bg: 'appearance',
  vbg: 'appearance',
  icp: 'appearance',
  police: 'appearance',
  site: 'guarded',
  support: 'guarded',
  methods: 'guarded',
  regions: 'guarded',
  agreements: 'guarded',
  languages: 'guarded',
  registration: 'guarded',
  wechat: 'guarded',
  sms: 'guarded',
  mail: 'guarded',
  sources: 'guarded',
  clients: 'guarded',
  webhooks: 'guarded',
  limits: 'guarded',
  notices: 'guarded',
  privacy: 'guarded',
  protection: 'guarded',
  files: 'guarded',
}

const isAppearance = (section: string): boolean =>
  Object.hasOwn(classification, section) && classification[section as Section] === 'appearance'

/** Kept secrets are the same sealed text; one typed again is sealed anew, so it counts as changed. */
export function changedSections(former: SiteConfig, next: SiteConfig): string[] {
  const sections = [...new Set([...Object.keys(former), ...Object.keys(next)])]
  return sections.filter((section) => !isDeepStrictEqual(former[section], next[section]))
}

export const appearanceOnly = (former: SiteConfig, next: SiteConfig): AppearanceOnly | undefined =>
  changedSections(former, next).every(isAppearance) ? appearanceProof() : undefined
