import { z } from 'zod'
import { managed } from './endpoint.ts'
import { authorization } from './oidc.ts'

const id = z.uuid()
const status = z.enum(['active', 'disabled'])

/** A whole number in a query, which has texts alone. */
const whole = (least: number, most: number) =>
  z
    .preprocess<unknown, z.ZodInt, number>(
      (text) => (typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : text),
      z.int().min(least).max(most),
    )
    .meta({ type: 'integer', minimum: least, maximum: most })

const moment = whole(0, 8.64e15).optional()

/** A page by cursor: the rows that follow those of the page before, whatever was added meanwhile. */
export const cursorPaging = z.object({
  /** Rows of a page: 20 unless said otherwise. */
  top: whole(1, 100).optional(),
  /** `next` of the page before, with the same filters. */
  cursor: z.string().max(1_000).optional(),
})

/** `next` is null on the last page. */
export const pageOf = <Row extends z.ZodType>(row: Row) => z.object({ data: z.array(row), next: z.string().nullable() })

/** Which users a machine sees, and how: masked, unless its token has `users:contact`. */
export const managedUser = z
  .object({
    id: z.string(),
    status,
    nickname: z.string().nullable(),
    username: z.string().nullable(),
    mobilePrefix: z.string().nullable(),
    /** Masked, as is the e-mail, unless the token has `users:contact`. */
    mobile: z.string().nullable(),
    email: z.string().nullable(),
    password: z.boolean(),
    wechat: z.boolean(),
    /** Whether the account has a second factor. */
    protected: z.boolean(),
    /** Whether the user has rights in the back-office: machines can't act on such a user. */
    operator: z.boolean(),
    since: z.number(),
    /** When the account will be erased, where the user asked for that. */
    closing: z.number().nullable(),
  })
  .meta({ id: 'ManagedUser' })
export type ManagedUser = z.infer<typeof managedUser>

const filter = z.object({
  status: status.optional(),
  /** Registered at or after this moment, and before that one. */
  from: moment,
  to: moment,
})
export type ManagedFilter = z.infer<typeof filter>

export const listManagedUsers = managed({
  method: 'GET',
  path: '/api/manage/v1/users',
  summary: 'Users, newest first, page by page.',
  scope: 'users:read',
  input: cursorPaging.extend(filter.shape),
  output: pageOf(managedUser),
})

export const readManagedUser = managed({
  method: 'GET',
  path: '/api/manage/v1/users/:id',
  summary: 'A user by id. Number and address are masked unless the token has the scope users:contact.',
  scope: 'users:read',
  tagged: true,
  errors: ['USER_UNKNOWN'],
  input: z.object({ id }),
  output: managedUser,
})

const name = z.string().trim().min(1).max(254)

export const findManagedUser = managed({
  method: 'POST',
  path: '/api/manage/v1/users/find',
  summary: 'The user who signs in by this number, e-mail or username. A POST, so that none of them enters a log.',
  scope: 'users:contact',
  errors: ['USER_UNKNOWN'],
  input: z
    .object({
      mobilePrefix: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional(),
      mobile: name.optional(),
      email: name.optional(),
      username: name.optional(),
    })
    .refine(
      ({ mobile, email, username }) => [mobile, email, username].filter((each) => each !== undefined).length === 1,
      {
        path: ['mobile'],
        error: 'exactly one of mobile, email and username',
      },
    ),
  output: managedUser,
})

const changed = z.object({ id: z.string(), status }).meta({ id: 'ManagedUserStatus' })

export const disableManagedUser = managed({
  method: 'POST',
  path: '/api/manage/v1/users/:id/disable',
  summary: 'Disables a user, which signs them out everywhere. Not for users with rights in the back-office.',
  scope: 'users:write',
  changes: true,
  tagged: true,
  errors: ['USER_UNKNOWN', 'OPERATOR_REFUSED'],
  input: z.object({ id }),
  output: changed,
})

export const enableManagedUser = managed({
  method: 'POST',
  path: '/api/manage/v1/users/:id/enable',
  summary: 'Enables a disabled user. Not for users with rights in the back-office.',
  scope: 'users:write',
  changes: true,
  tagged: true,
  errors: ['USER_UNKNOWN', 'OPERATOR_REFUSED'],
  input: z.object({ id }),
  output: changed,
})

const session = z
  .object({
    id: z.string(),
    browser: z.string(),
    device: z.string(),
    os: z.string(),
    region: z.string().nullable(),
    time: z.number(),
    lastAccess: z.number(),
  })
  .meta({ id: 'ManagedSession' })
export type ManagedSession = z.infer<typeof session>

export const listManagedSessions = managed({
  method: 'GET',
  path: '/api/manage/v1/users/:id/sessions',
  summary: 'The live sessions of a user, newest first.',
  scope: 'users:read',
  errors: ['USER_UNKNOWN'],
  input: cursorPaging.extend({ id }),
  output: pageOf(session),
})

export const revokeManagedSession = managed({
  method: 'POST',
  path: '/api/manage/v1/users/:id/sessions/:session/revoke',
  summary: 'Ends one session of a user. Not for users with rights in the back-office.',
  scope: 'sessions:revoke',
  changes: true,
  errors: ['USER_UNKNOWN', 'OPERATOR_REFUSED', 'NOT_FOUND'],
  input: z.object({ id, session: id }),
  output: z.object({ ended: z.number() }),
})

export const revokeManagedSessions = managed({
  method: 'POST',
  path: '/api/manage/v1/users/:id/sessions/revoke',
  summary: 'Ends every session of a user. Not for users with rights in the back-office.',
  scope: 'sessions:revoke',
  changes: true,
  errors: ['USER_UNKNOWN', 'OPERATOR_REFUSED'],
  input: z.object({ id }),
  output: z.object({ ended: z.number() }),
})

export const listManagedAuthorizations = managed({
  method: 'GET',
  path: '/api/manage/v1/users/:id/authorizations',
  summary: 'The clients that the user has signed in to, most recently used first; a user has few.',
  scope: 'users:read',
  errors: ['USER_UNKNOWN'],
  input: z.object({ id }),
  output: z.object({ data: z.array(authorization) }),
})
