import { deriveBrand } from '../lib/device/brand.ts'
import { useDevice } from '../lib/device/device.ts'
import { isDark, languageOf } from '../lib/device/device-rules.ts'
import { initialOf } from '../lib/device/initial.ts'
import { applyTheme } from '../lib/device/theme.ts'
import { shownLanguage } from '../lib/text/text.ts'
import { type Site, useSite } from './site.store.ts'

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;' }

/** The tab's icon of a site without one: the same tile as on the page. */
function tileIcon(name: string, primary: string): string {
  const brand = deriveBrand(primary, false)
  const letter = initialOf(name).replace(/[&<]/g, (character) => escapes[character] ?? '')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="16" ` +
    `fill="${brand['--brand-fill']}"/><text x="32" y="34" font-family="sans-serif" font-size="36" font-weight="600" ` +
    `fill="${brand['--brand-on']}" text-anchor="middle" dominant-baseline="central">${letter}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

function applyLook() {
  const site = useSite.getState()
  const device = useDevice.getState()
  applyTheme(isDark(device), site.theme.primary)
  document.documentElement.lang = shownLanguage(site.languages, languageOf(device))
  const icon = site.logoIcon ?? tileIcon(site.name, site.theme.primary)
  document.querySelector('link[rel="icon"]')?.setAttribute('href', icon)
}

const looksSame = (now: Site, before: Site) =>
  now.theme.primary === before.theme.primary &&
  now.name === before.name &&
  now.logoIcon === before.logoIcon &&
  now.languages.join() === before.languages.join()

/** Keeps colours, tab icon and language of the document in step with site and user. */
export function followLook() {
  applyLook()
  useSite.subscribe((now, before) => {
    if (!looksSame(now, before)) applyLook()
  })
  useDevice.subscribe((now, before) => {
    if (isDark(now) !== isDark(before) || languageOf(now) !== languageOf(before)) applyLook()
  })
}
