import type { FastifyReply } from 'fastify'
import type { Site } from '../shared/sites/sites.ts'

/** On every answer; documents say more. What isn't one runs nothing and stands in no frame, also when opened by its address. */
export const always = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

const encrypted = ['strict-transport-security', 'max-age=31536000; includeSubDomains'] as const

/** On every answer of a site that is met by https: browsers come back by nothing else, for a year. */
export function onlyEncrypted(site: Site, reply: FastifyReply): void {
  if (site.origin.startsWith('https:')) reply.header(...encrypted)
}

export const jsonType = 'application/json; charset=utf-8'

const callHead = Object.entries({ ...always, 'content-type': jsonType }).flat()
const encryptedCallHead = [...callHead, ...encrypted]

/** The whole head of a call's answer as the flat list that node:http takes without copying it. */
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
 * On pages: calls go here alone, pictures come also from where this site's config says, nobody frames them. Every one
 * may hold a frame, since the configuration is reached from any without a new document; only the preview lets itself
 * be framed.
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

/** On the preview: it asks nobody and sends nothing, but the pictures of a text that isn't saved may stand anywhere. */
const ofPreview = () => ({
  policy: ["img-src 'self' data: blob: https:", "connect-src 'none'", "form-action 'none'", "frame-ancestors 'self'"],
  frames: 'SAMEORIGIN',
})

/** On documents: scripts and styles from here alone. */
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
