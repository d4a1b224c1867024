import { isUsername } from '@hufu/contract/account-rules'
import type { Region } from '@hufu/contract/regions'
import { parsePhoneNumberFromString } from 'libphonenumber-js/mobile'

export interface Mobile {
  prefix: string
  /** National digits as they are dialled within the region. */
  number: string
  /** The unique spelling: +8613800138000. */
  value: string
}

/** A number as typed or pasted, in any of its spellings; undefined where it isn't one of that prefix. */
export function parseMobile(prefix: string, typed: string): Mobile | undefined {
  const digits = typed.normalize('NFKC').replace(/[\s()-]/g, '')
  if (!/^(\+|00)?\d{4,20}$/.test(digits)) return undefined
  const international = digits.startsWith('+')
    ? digits
    : digits.startsWith('00')
      ? `+${digits.slice(2)}`
      : `+${prefix}${digits}`
  const parsed = parsePhoneNumberFromString(international)
  if (!parsed?.isValid() || parsed.countryCallingCode !== prefix) return undefined
  return { prefix, number: parsed.nationalNumber, value: parsed.number }
}

/** The number that an account shows, as it is stored. */
export const ownMobile = (account: { mobilePrefix: string | null; mobile: string | null }): Mobile | undefined =>
  account.mobilePrefix && account.mobile ? parseMobile(account.mobilePrefix, account.mobile) : undefined

export type LoginName = { kind: 'mobile' | 'email' | 'username'; value: string }

/** A typed account: plain digits are a number of the site's first region, others come with +prefix. */
export function parseAccount(typed: string, regions: readonly Region[]): LoginName | undefined {
  const text = typed.normalize('NFKC').trim()
  if (text.includes('@')) return { kind: 'email', value: text.toLowerCase() }
  if (/^[\d\s()+-]+$/.test(text)) {
    const mobile =
      text.startsWith('+') || text.startsWith('00')
        ? parseAbroad(text, regions)
        : parseMobile(regions[0]?.prefix ?? '86', text)
    return mobile && { kind: 'mobile', value: mobile.value }
  }
  return isUsername(text) ? { kind: 'username', value: text.toLowerCase() } : undefined
}

function parseAbroad(text: string, regions: readonly Region[]): Mobile | undefined {
  const prefixes = [...new Set(regions.map(({ prefix }) => prefix))]
  return prefixes.map((prefix) => parseMobile(prefix, text)).find((mobile) => mobile !== undefined)
}
