import type { KoaContextWithOIDC } from 'oidc-provider'

/** Where an unsigned request object says how its answer is to come. */
const ofAnswer = ['response_mode', 'state'] as const

function claimsOf(object: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(`${Buffer.from(object.split('.')[1] ?? '', 'base64url')}`)
    return typeof claims === 'object' && claims !== null ? { ...claims } : {}
  } catch {
    return {}
  }
}

/**
 * Request objects are refused, and read for one thing: how the refusal comes back. A client may say that in there alone.
 * It isn't verified, and needn't be: the address itself could say the same, and what the address says counts.
 */
export function readAnswerMode(ctx: KoaContextWithOIDC): void {
  const { request } = ctx.query
  if (typeof request !== 'string') return
  const claims = claimsOf(request)
  const asked = ofAnswer.flatMap((name) => {
    const value = claims[name]
    return typeof value === 'string' && ctx.query[name] === undefined ? [[name, value] as const] : []
  })
  if (asked.length > 0) ctx.query = { ...ctx.query, ...Object.fromEntries(asked) }
}
