import { fallbackRegion, type Region } from '@hufu/contract/regions'

/** What a person chose on this device; a field that is absent isn't chosen. */
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

export function isDark({ preference, systemDark }: { preference: Preference; systemDark: boolean }): boolean {
  return preference.dark ?? systemDark
}

interface Place {
  preference: Preference
  regions: Region[]
}

/** A chosen key that isn't in the list counts as not chosen. */
const chosenRegion = ({ preference, regions }: Place) => regions.find(({ key }) => key === preference.region)

export function regionOf(place: Place): Region {
  return chosenRegion(place) ?? place.regions[0] ?? fallbackRegion
}

export function languageOf(place: Place & { systemLanguage: string }): string {
  return place.preference.language ?? chosenRegion(place)?.language ?? place.systemLanguage
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
