import { defaultPrimary } from '../lib/device/brand.ts'
import { isDark, rootFontSize } from '../lib/device/device-rules.ts'
import { initialOf } from '../lib/device/initial.ts'
import { readPreference } from '../lib/device/preference.ts'
import { applyTheme } from '../lib/device/theme.ts'

// Polyfill for browsers before Chrome 93.
Object.hasOwn ??= (object, key) => Object.keys(object).includes(String(key))

// Runs as a blocking script before the stylesheet: the first paint already has theme, size, colour and logo.
const root = document.documentElement
const preference = readPreference()
const systemDark = window.matchMedia('(prefers-color-scheme: dark)').matches
const { name = '', primary = defaultPrimary, logo } = root.dataset

applyTheme(isDark({ preference, systemDark }), primary)
root.style.fontSize = `${rootFontSize(preference)}px`

const showInitial = () => {
  root.style.setProperty('--early-initial', JSON.stringify(initialOf(name)))
  root.style.setProperty('--early-edge', 'var(--brand-edge)')
  root.style.removeProperty('--early-logo')
}
if (logo) {
  root.style.setProperty('--early-logo', `var(--logo-ground) url(${JSON.stringify(new URL(logo, location.href).href)})`)
  const probe = new Image()
  probe.onerror = showInitial
  probe.src = logo
} else showInitial()
