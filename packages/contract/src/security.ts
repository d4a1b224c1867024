import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listOf, paging } from './fields.ts'

const limit = { calls: 300, seconds: 60 }

/** An event of an account, as it is shown. */
export const securityEntry = z
  .object({
    id: z.string(),
    time: z.number(),
    event: z.string(),
    ip: z.string().nullable(),
    /** The IP region, where known. */
    region: z.string().nullable(),
    /** How the user signed in, and with what. */
    method: z.string().nullable(),
    browser: z.string().nullable(),
    os: z.string().nullable(),
    /** The count, where failures of a minute were summed. */
    count: z.number().nullable(),
  })
  .meta({ id: 'SecurityEntry' })
export type SecurityEntry = z.infer<typeof securityEntry>

const ownEntry = securityEntry
  .extend({
    /** The client that was signed in to. */
    client: z.string().nullable(),
    /** Of a sign-in: the session that it began. */
    session: z.object({ id: z.string(), live: z.boolean(), current: z.boolean(), disowned: z.boolean() }).nullable(),
  })
  .meta({ id: 'OwnSecurityEntry' })
export type OwnSecurityEntry = z.infer<typeof ownEntry>

export const listOwnSecurity = endpoint({
  path: '/api/user/security/list',
  summary: 'What happened to the own account, newest first.',
  access: 'user',
  limit,
  input: paging,
  output: listOf(ownEntry).extend({ more: z.boolean() }),
})

export const disownSignIn = endpoint({
  path: '/api/user/security/disown',
  summary: 'Disowns a sign-in to the own account: its session ends, its browser becomes unknown.',
  access: 'user',
  limit: { calls: 60, seconds: 60 },
  errors: ['CURRENT_SESSION', 'NOT_FOUND'],
  input: z.object({ id: z.uuid() }),
  output: z.null(),
})

/** The token in a notice's link. */
const token = z.string().regex(/^[\w-]{43}$/)

export const readNoticedSignIn = endpoint({
  path: '/api/login/notice/read',
  summary: "The sign-in that a notice's link is about; NOTICE_EXPIRED when the link was used or is too old.",
  access: 'public',
  limit: { calls: 60, seconds: 60 },
  errors: ['NOTICE_EXPIRED'],
  input: z.object({ token }),
  output: z.object({
    time: z.number(),
    browser: z.string(),
    os: z.string(),
    ip: z.string(),
    region: z.string().nullable(),
    /** Whether its session is still live. */
    live: z.boolean(),
  }),
})

export const disownNoticedSignIn = endpoint({
  path: '/api/login/notice/disown',
  summary: "Disowns the sign-in behind a notice's link. Works once and begins no session.",
  access: 'public',
  limit: { calls: 60, seconds: 60 },
  errors: ['NOTICE_EXPIRED'],
  input: z.object({ token }),
  output: z.null(),
})
