import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listOf, paging } from './fields.ts'

const limit = { calls: 300, seconds: 60 }

/** What happened to an account, as whoever may see it is shown it. */
export const securityEntry = z.object({
  id: z.string(),
  time: z.number(),
  event: z.string(),
  ip: z.string().nullable(),
  /** Where that is, as far as known. */
  region: z.string().nullable(),
  /** How somebody signed in, and with what. */
  method: z.string().nullable(),
  browser: z.string().nullable(),
  os: z.string().nullable(),
  /** How often, where failures of a minute were summed. */
  count: z.number().nullable(),
})
export type SecurityEntry = z.infer<typeof securityEntry>

const ownEntry = securityEntry.extend({
  /** The other site that was signed in to. */
  client: z.string().nullable(),
  /** Of a sign-in: the session that it began. */
  session: z.object({ id: z.string(), live: z.boolean(), current: z.boolean(), disowned: z.boolean() }).nullable(),
})
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
  summary:
    'Says of a sign-in to the own account that it was somebody else: its session ends, its browser is a stranger again.',
  access: 'user',
  limit: { calls: 60, seconds: 60 },
  input: z.object({ id: z.uuid() }),
  output: z.null(),
})

/** What a notice's link carries. */
const token = z.string().regex(/^[\w-]{43}$/)

export const readNoticedSignIn = endpoint({
  path: '/api/login/notice/read',
  summary: "The sign-in that a notice's link is about; NOTICE_EXPIRED when the link was used or is too old.",
  access: 'public',
  limit: { calls: 60, seconds: 60 },
  input: z.object({ token }),
  output: z.object({
    time: z.number(),
    browser: z.string(),
    os: z.string(),
    ip: z.string(),
    region: z.string().nullable(),
    /** Whether it is still signed in. */
    live: z.boolean(),
  }),
})

export const disownNoticedSignIn = endpoint({
  path: '/api/login/notice/disown',
  summary: "Says of the sign-in behind a notice's link that it was somebody else. Works once and signs nobody in.",
  access: 'public',
  limit: { calls: 60, seconds: 60 },
  input: z.object({ token }),
  output: z.null(),
})
