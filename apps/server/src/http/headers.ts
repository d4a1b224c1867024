import type { FastifyReply } from 'fastify'
import type { Site } from '../shared/sites/sites.ts'

/**
 * On every answer; documents add more. Anything but a document runs nothing and can't be framed, even when opened
 * directly.
 */
export const always = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const encrypted = ['strict-transport-security', 'max-age=31536000; includeSubDomains'] as const

/** On every answer of a site that is served by https: browsers use https only, for a year. */
export function onlyEncrypted(site: Site, reply: FastifyReply): void {
  if (site.origin.startsWith('https:')) reply.header(...encrypted)
}

export const jsonType = 'application/json; charset=utf-8'

const callHead = Object.entries({ ...always, 'content-type': jsonType }).flat()
const encryptedCallHead = [...callHead, ...encrypted]

/** All headers of a call's answer as the flat list that node:http takes without copying it. */
export const preparedHead = (site: Site, requestId: string, length: string): string[] => [
  ...(site.origin.startsWith('https:') ? encryptedCallHead : callHead),
  'x-request-id',
  requestId,
  'content-length',
  length,
]

const pictures = ['bg', 'vbg', 'logoIcon', 'logoImage'] as const

function pictureHosts({ config }: Site): string[] {
  const hosts = pictures.flatMap((name) => {
    const address = config[name]
    return address?.startsWith('https://') ? [new URL(address).origin] : []
  })
  return [...new Set(hosts)]
}

/**
 * On pages: calls go to this origin alone, pictures come also from where this site's config says, framing is forbidden.
 * Every page may hold a frame, since the configuration is reached from any page without a new document; only the
 * preview may be framed.
 */
const ofPages = (site: Site) => ({
  policy: [
    ["img-src 'self' data: blob:", ...pictureHosts(site)].join(' '),
    "connect-src 'self'",
    "form-action 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
  ],
  frames: 'DENY',
})

/** On the preview: no calls, no forms, but pictures of an unsaved config may come from any origin. */
const ofPreview = () => ({
  policy: ["img-src 'self' data: blob: https:", "connect-src 'none'", "form-action 'none'", "frame-ancestors 'self'"],
  frames: 'SAMEORIGIN',
})

/** On documents: scripts and styles from this origin alone. */
export function documentHeaders(site: Site, preview = false): Record<string, string> {
  const { policy, frames } = preview ? ofPreview() : ofPages(site)
  const everywhere = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
  ]
  return {
    'content-security-policy': [...everywhere, ...policy].join('; '),
    'referrer-policy': 'strict-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-frame-options': frames,
    'cache-control': 'no-cache',
  }
}
