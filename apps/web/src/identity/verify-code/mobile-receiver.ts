import { fallbackRegion, type Region } from '@hufu/contract/regions'

export interface MobileNumber {
  region: Region
  mobile: string
}

/** The key of a countdown. */
export function receiverOf({ region, mobile }: MobileNumber): string {
  return `+${region.prefix} ${mobile}`
}

/** The number the page opens with: one that a code was sent to just now, else none, in the device's region. */
export function openingNumber(receiver: string | undefined, own: Region, regions: Region[]): MobileNumber {
  const [, prefix, mobile = ''] = /^\+(\d+) (\d+)$/.exec(receiver ?? '') ?? []
  const region = [own, ...regions, fallbackRegion].find((each) => each.prefix === prefix)
  return region ? { region, mobile } : { region: own, mobile: '' }
}
