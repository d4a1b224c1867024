import { createRequire } from 'node:module'

interface IpRegion {
  country: string
  province: string
  city: string
}

interface Finder {
  search(address: string): Partial<IpRegion> | null
}

const require = createRequire(import.meta.url)
let finder: Finder | undefined

/** The province and city of an address, from the data inside the package; undefined where unknown. */
function ipRegionOf(address: string): IpRegion | undefined {
  try {
    finder ??= new (require('ip2region').default)() as Finder
    const found = finder.search(address)
    if (!found?.country || found.country === '0') return undefined
    return { country: found.country, province: found.province ?? '', city: found.city ?? '' }
  } catch {
    return undefined
  }
}

const known = (part: string) => part !== '' && part !== '0'

/** Whether two addresses surely belong to different provinces or countries; unknown counts as no difference. */
export function differentIpRegions(one: string, other: string): boolean {
  const a = ipRegionOf(one)
  const b = ipRegionOf(other)
  if (!a || !b) return false
  if (a.country !== b.country) return true
  return known(a.province) && known(b.province) && a.province !== b.province
}

/** For display: 广东省 深圳市. */
export function ipRegionText(address: string): string | undefined {
  const ipRegion = ipRegionOf(address)
  if (!ipRegion) return undefined
  const parts = [ipRegion.province, ipRegion.city].filter((part) => known(part) && part !== '内网IP')
  return [...new Set(parts.length > 0 ? parts : [ipRegion.country])].join(' ')
}
