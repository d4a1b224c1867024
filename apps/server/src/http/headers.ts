import type { Site } from '../core/sites.ts'

/** On every answer; documents and files say more. */
export const always = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }

export const jsonType = 'application/json; charset=utf-8'

const callHead = Object.entries({ ...always, 'content-type': jsonType }).flat()

/** The whole head of a call's answer as the flat list that node:http takes without copying it. */
export const preparedHead = (requestId: string, length: string): string[] => [
  ...callHead,
  'x-request-id',
  requestId,
  'content-length',
  length,
]

const pictures = ['bg', 'vbg', 'logoIcon', 'logoImage'] as const

/** On documents: scripts and styles from here alone, pictures also from where this site's config says. */
export function documentHeaders(site: Site): Record<string, string> {
  const hosts = pictures.flatMap((name) => {
    const address = site.config[name]
    return address?.startsWith('https://') ? [new URL(address).origin] : []
  })
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob: ${[...new Set(hosts)].join(' ')}`.trim(),
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'strict-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    'x-frame-options': 'DENY',
    'cache-control': 'no-cache',
    ...(site.origin.startsWith('https://') && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
