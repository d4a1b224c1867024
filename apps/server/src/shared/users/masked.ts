import type { Site } from '../sites/sites.ts'

const isOpen = (site: Site) => site.config.privacy?.maskLists === false

/** 138****5678; shorter numbers show less, so that at least four digits stay hidden. */
export function maskedMobile(mobile: string): string {
  if (mobile.length > 10) return `${mobile.slice(0, 3)}****${mobile.slice(-4)}`
  return mobile.length > 7 ? `${mobile.slice(0, 2)}****${mobile.slice(-2)}` : `****${mobile.slice(-2)}`
}

/** Masked, unless the site shows its operators whole numbers in lists. */
export const shownMobile = (site: Site, mobile: string | null): string | null =>
  mobile === null || isOpen(site) ? mobile : maskedMobile(mobile)

/** zh****@example.com; a name of one or two characters is hidden whole. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(2, Math.max(at - 1, 0)))}****${email.slice(at)}`
}

export const shownEmail = (site: Site, email: string | null): string | null =>
  email === null || isOpen(site) ? email : maskedEmail(email)
