import { fontSizes, type Preference } from './device-rules.ts'

export const preferenceKey = 'device_preference'

/** Only what has the right shape: storage may hold anything, also what an older version wrote. */
export function parsePreference(text: string | null): Preference {
  const preference: Preference = {}
  let stored: unknown
  try {
    stored = JSON.parse(text ?? '')
  } catch {
    return preference
  }
  if (typeof stored !== 'object' || stored === null) return preference
  const { dark, fontSize, region, language } = stored as Record<string, unknown>
  const size = fontSizes.find((known) => known === fontSize)
  if (typeof dark === 'boolean') preference.dark = dark
  if (size) preference.fontSize = size
  if (typeof region === 'string') preference.region = region
  if (typeof language === 'string') preference.language = language
  return preference
}

/** Storage may be forbidden (private windows, strict settings): then nothing is chosen. */
export function readPreference(): Preference {
  try {
    return parsePreference(localStorage.getItem(preferenceKey))
  } catch {
    return {}
  }
}

export function writePreference(preference: Preference) {
  try {
    localStorage.setItem(preferenceKey, JSON.stringify(preference))
  } catch {
    // The choice still holds until the page is closed.
  }
}
