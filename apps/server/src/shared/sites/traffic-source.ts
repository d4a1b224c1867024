import type { Client } from './client-gate.ts'
import type { Site } from './sites.ts'

export const defaultSource = '/user'

/** The allowed destination after signing in, or undefined. Checked where it is stored and again where it is used. */
export function allowedSource(site: Site, source: string | undefined): string | undefined {
  if (!source || [...source].some((character) => character <= ' ' || character === '\\' || character === '\x7f'))
    return undefined
  if (source.startsWith('/')) return ownPath(site, source)
  if (!URL.canParse(source)) return undefined
  const url = new URL(source)
  if (!['https:', 'http:'].includes(url.protocol) || url.username || url.password) return undefined
  if (clientsAt(site, url.href).length > 1) return undefined
  return site.config.sources?.includes(url.origin) || ownerOf(site, url.href) ? url.href : undefined
}

/** Clients of OpenID Connect may share an address. A ticket there would belong to none of them. */
const clientsAt = ({ config: { clients = [] } }: Site, address: string): Client[] =>
  clients.filter(({ returns }) => returns?.includes(address))

export interface Owner {
  client: Client
  /** Whether the client lists the whole address, not just its origin. */
  exact: boolean
}

/** The client that an address belongs to. */
export function ownerOf(site: Site, address: string): Owner | undefined {
  const [listing] = clientsAt(site, address)
  if (listing) return { client: listing, exact: true }
  const { origin } = new URL(address, site.origin)
  const client = site.config.clients?.find(({ sources }) => sources?.includes(origin))
  return client && { client, exact: false }
}

/** A path of this site with one leading slash, neither a call nor the sign-in page itself. */
function ownPath(site: Site, source: string): string | undefined {
  if (source.startsWith('//') || !URL.canParse(source, site.origin)) return undefined
  const url = new URL(source, site.origin)
  if (url.origin !== site.origin) return undefined
  const path = decode(url.pathname)
  if (path === undefined || /^\/{2}|\\/.test(path) || /^\/(api|login)(\/|$)/i.test(path)) return undefined
  return url.pathname + url.search + url.hash
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** The address with our answer in its query; everything else in it stays unchanged. */
export function withAnswer(source: string, answer: Record<string, string>): string {
  const [, path = '', query = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(source) ?? []
  const isOurs = (part: string) => [...new URLSearchParams(part).keys()].some((name) => Object.hasOwn(answer, name))
  const kept = query.split('&').filter((part) => part !== '' && !isOurs(part))
  const added = Object.entries(answer).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${path}?${[...kept, ...added].join('&')}${hash}`
}
