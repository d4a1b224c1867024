import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const createAuthorization = endpoint({
  path: '/api/login/authorize/create',
  summary: 'Begins a sign-in for another site: keeps the checked address that it returns to.',
  access: 'public',
  limit: { calls: 600, seconds: 60 },
  errors: ['AUTHORIZE_PKCE', 'AUTHORIZE_SOURCE'],
  input: z.object({
    source: z.string().max(4096),
    /** Returned to the client unchanged. */
    state: z.string().max(512).optional(),
    /**
     * PKCE: the SHA-256 of the verifier that the exchange will send. Required for an address that a client lists in
     * `returns`.
     */
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/)
      .optional(),
    code_challenge_method: z.literal('S256').optional(),
  }),
  output: z.string(),
})

export const bindAuthorization = endpoint({
  path: '/api/login/authorize/binding',
  summary:
    'Where the browser goes next: to the sign-in page, or back to the other site with a ticket for who is signed in.',
  access: 'public',
  limit: { calls: 600, seconds: 60 },
  errors: ['AUTHORIZE_EXPIRED', 'AUTHORIZE_SOURCE'],
  input: z.object({ id: z.string().min(1).max(128) }),
  output: z.string(),
})

export const exchangeTicket = endpoint({
  path: '/api/authorize/exchange',
  summary:
    "Returns the user of a ticket to the client's server: once, within a minute, for its own addresses, while the user stays signed in.",
  access: 'client',
  limit: { calls: 6_000, seconds: 60 },
  errors: ['AUTHORIZE_TICKET'],
  input: z.object({
    client: z.string().min(1).max(64),
    secret: z.string().min(1).max(512),
    ticket: z.string().min(1).max(128),
    /** The PKCE verifier. A wrong one, or one without a challenge, uses the ticket up. */
    code_verifier: z.string().max(512).optional(),
    /** The state that the browser came back with; where it is sent, it must match the ticket's. */
    state: z.string().max(512).optional(),
  }),
  output: z.object({
    /** Stable, and for this site alone. */
    id: z.string(),
    nickname: z.string().nullable(),
    /** The address of a picture. */
    avatar: z.string().nullable(),
  }),
})
