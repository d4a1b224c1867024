import type { Site } from './sites.ts'

const isOpen = (site: Site) => site.config.privacy?.maskLists === false

/** 138****5678, unless the site shows its operators whole numbers. */
export function shownMobile(site: Site, mobile: string | null): string | null {
  if (mobile === null || isOpen(site)) return mobile
  return mobile.length > 7 ? `${mobile.slice(0, 3)}****${mobile.slice(-4)}` : `****${mobile.slice(-2)}`
}

/** zh****@example.com; a name of one or two characters isn't told by its beginning either. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return `${email.slice(0, Math.min(2, Math.max(at - 1, 0)))}****${email.slice(at)}`
}

export const shownEmail = (site: Site, email: string | null): string | null =>
  email === null || isOpen(site) ? email : maskedEmail(email)
