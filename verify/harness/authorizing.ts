import { bindAuthorization, createAuthorization, exchangeTicket } from '@hufu/contract/authorize'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import type { Browser, Harness } from './harness.ts'

/** Two other sites that sign users in here, and one whose secret was never set. */
export const shop = { id: 'shop', name: '书店', secret: 'attack-shop-secret', sources: ['https://shop.example.com'] }
export const forum = {
  id: 'forum',
  name: '论坛',
  secret: 'attack-forum-secret',
  sources: ['https://forum.example.com'],
}
/** One that lists whole addresses and so needs PKCE. */
export const books = {
  id: 'books',
  name: '旧书店',
  secret: 'attack-books-secret',
  returns: ['https://books.example.com/callback'],
}
export const bare = { id: 'bare', name: '无密钥', sources: ['https://bare.example.com'] }

/** Begins a sign-in for another site, as any client may. */
export async function createId(
  browser: Browser,
  source = `${shop.sources[0]}/callback`,
  { verifier, state }: { verifier?: string | undefined; state?: string | undefined } = {},
): Promise<string> {
  const { data, code } = await browser.call(createAuthorization, {
    source,
    ...(state !== undefined && { state }),
    ...(verifier !== undefined && {
      code_challenge: sha256(verifier).toString('base64url'),
      code_challenge_method: 'S256' as const,
    }),
  })
  if (!data) throw new Error(`no authorization was begun: ${code}`)
  return data
}

export const bind = (browser: Browser, id: string) => browser.call(bindAuthorization, { id })

/** The ticket in the address that a binding returned, if there is one. */
export const ticketIn = (address: string | undefined): string | undefined =>
  URL.canParse(address ?? '') ? (new URL(address ?? '').searchParams.get('authorize') ?? undefined) : undefined

/** A call of a client's server, without cookies and Origin. */
export const exchange = (
  t: Harness,
  site: TestSite,
  ticket: string,
  { id, secret }: { id: string; secret: string } = shop,
  more: { code_verifier?: string; state?: string } = {},
) => t.browser(site).call(exchangeTicket, { client: id, secret, ticket, ...more })

/** Lets time pass for an id or a ticket. */
export async function passTime(t: Harness, secret: string, interval: string): Promise<void> {
  for (const table of ['authorize_request', 'authorize_ticket']) {
    await t.deps.pool.query(`UPDATE ${table} SET expires_at = expires_at - $2::interval WHERE hash = $1`, [
      sha256(secret),
      interval,
    ])
  }
}
