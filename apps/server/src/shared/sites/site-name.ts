import type { SiteConfig } from '@hufu/contract/site'

const defaultName = '账号中心'

/** The name of a site as pages show it. */
export const siteName = ({ name }: SiteConfig): string => name ?? defaultName
