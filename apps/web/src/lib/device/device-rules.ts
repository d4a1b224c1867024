import { fallbackRegion, type Region } from '@hufu/contract/regions'

/** What a user chose on this device; a field that is absent isn't chosen. */
export interface Preference {
  dark?: boolean
  fontSize?: FontSize
  /** A region's key. */
  region?: string
  language?: string
}

export const fontSizes = [12, 16, 18] as const
export type FontSize = (typeof fontSizes)[number]
export const standardFontSize = 14

export function rootFontSize({ fontSize }: Preference): number {
  return fontSize ?? standardFontSize
}

interface Chosen {
  preference: Preference
  /** Of the signed-in user. */
  accountPreference?: Preference
}

/** What was chosen on this device wins; the rest follows the account while a user is signed in. */
export function inForce({ preference, accountPreference }: Chosen): Preference {
  return { ...accountPreference, ...preference }
}

export function isDark({ systemDark, ...chosen }: Chosen & { systemDark: boolean }): boolean {
  return inForce(chosen).dark ?? systemDark
}

interface RegionChoice extends Chosen {
  regions: Region[]
}

/** A chosen key that isn't in the list counts as not chosen. */
function chosenRegion({ regions, ...chosen }: RegionChoice): Region | undefined {
  const { region } = inForce(chosen)
  return regions.find(({ key }) => key === region)
}

export function regionOf(choice: RegionChoice): Region {
  return chosenRegion(choice) ?? choice.regions[0] ?? fallbackRegion
}

export function languageOf(choice: RegionChoice & { systemLanguage: string }): string {
  return inForce(choice).language ?? chosenRegion(choice)?.language ?? choice.systemLanguage
}

export function isWeChat({ userAgent }: { userAgent: string }): boolean {
  return /micromessenger/i.test(userAgent)
}

export function isIphoneX({ userAgent, height }: { userAgent: string; height: number }): boolean {
  return /iphone/i.test(userAgent) && height >= 812
}

export function isPortrait({ width, height }: { width: number; height: number }): boolean {
  return width < height
}

export function isNearTop({ scrollY }: { scrollY: number }): boolean {
  return scrollY < 10
}
