import { z } from 'zod'
import { device } from './devices.ts'
import { endpoint, nothing } from './endpoint.ts'
import { listOf, madeFile, paging } from './fields.ts'
import { merchantRights } from './merchant-rights.ts'
import { permission } from './profile.ts'
import { securityEntry } from './security.ts'

const limit = { calls: 600, seconds: 60 }
const changes = { calls: 120, seconds: 60 }

const id = z.uuid()
const status = z.enum(['active', 'disabled'])
export type UserStatus = z.infer<typeof status>

/** Which users. A search matches one field and ignores filters; filters can be combined. */
const wanted = z
  .object({
    /** Mobile (whole or its last four digits), e-mail, username, id, short id, or a nickname's prefix. */
    search: z
      .string()
      .trim()
      .max(100)
      // PostgreSQL accepts no lone surrogates in JSON.
      .transform((text) => text.toWellFormed())
      .optional(),
    only: z.enum(['disabled', 'operators', 'unprotectedOperators']).optional(),
    /** Registered at or after this moment, and before that one. */
    from: z.int().min(0).max(8.64e15).optional(),
    to: z.int().min(0).max(8.64e15).optional(),
  })
  .meta({ id: 'UserFilter' })
export type WantedUsers = z.infer<typeof wanted>

const row = z
  .object({
    id: z.string(),
    status,
    mobilePrefix: z.string().nullable(),
    /** Masked, as is the e-mail, unless the site says otherwise. */
    mobile: z.string().nullable(),
    nickname: z.string().nullable(),
    username: z.string().nullable(),
    email: z.string().nullable(),
    lastAccess: z.number().nullable(),
    since: z.number(),
    operator: z.boolean(),
    protected: z.boolean(),
  })
  .meta({ id: 'UserRow' })
export type UserRow = z.infer<typeof row>

export const queryUsers = endpoint({
  path: '/api/merchant/user/query',
  summary: 'Users of the site, newest first; with a search or a filter those that match.',
  access: 'merchantRead',
  limit,
  input: paging.extend(wanted.shape),
  /** `more`: there are more than were counted. */
  output: listOf(row).extend({ more: z.boolean() }),
})

const userDetails = z
  .object({
    id: z.string(),
    status,
    nickname: z.string().nullable(),
    wechatNickname: z.string().nullable(),
    /** The address of the picture. */
    avatar: z.string().nullable(),
    mobilePrefix: z.string().nullable(),
    /** Masked, as is the e-mail; `user/reveal` shows them whole. */
    mobile: z.string().nullable(),
    email: z.string().nullable(),
    username: z.string().nullable(),
    password: z.boolean(),
    wechat: z.boolean(),
    since: z.number(),
    lastAccess: z.number().nullable(),
    permission,
    /** Whether the number can be removed: the account has another way to sign in. */
    releasable: z.boolean(),
    /** A recovery of the lost number: from when a new one can be set. */
    recovery: z.number().nullable(),
    /** When the account will be erased, where the user asked for that. */
    closing: z.number().nullable(),
    /** The second factors; of passkeys and recovery codes how many. */
    factors: z.object({ passkeys: z.number(), totp: z.boolean(), recovery: z.number() }),
  })
  .meta({ id: 'UserDetails' })
export type Person = z.infer<typeof userDetails>

export const readUser = endpoint({
  path: '/api/merchant/user/read',
  summary: 'Opens a user, number and address masked; who opened whom is recorded.',
  access: 'merchantRead',
  limit,
  errors: ['NOT_FOUND'],
  input: z.object({ id }),
  output: userDetails,
})

/** The masked fields of a user that an operator can reveal. */
export const revealedFields = ['mobile', 'email'] as const
export type RevealedField = (typeof revealedFields)[number]

export const revealUser = endpoint({
  path: '/api/merchant/user/reveal',
  summary: 'Reveals one masked field of a user; each call is recorded. Needs the step-up of the export.',
  access: 'merchantRead',
  stepUp: true,
  limit: changes,
  errors: ['NOT_FOUND', 'SECOND_TOO_FRESH'],
  input: z.object({ id, field: z.enum(revealedFields) }),
  output: z.object({ value: z.string().nullable() }),
})

/** A page of what belongs to one user. */
const ofUser = paging.extend({ id }).meta({ id: 'UserPaging' })

export const userDevices = endpoint({
  path: '/api/merchant/user/devices',
  summary: 'The live sessions of a user, newest first.',
  access: 'merchantRead',
  limit,
  errors: ['NOT_FOUND'],
  input: ofUser,
  output: listOf(device.omit({ current: true })),
})

export const userSecurityLog = endpoint({
  path: '/api/merchant/user/securityLog',
  summary: 'What happened to an account, newest first.',
  access: 'merchantRead',
  limit,
  errors: ['NOT_FOUND'],
  input: ofUser,
  output: listOf(securityEntry).extend({ more: z.boolean() }),
})

export const setUserStatus = endpoint({
  path: '/api/merchant/user/status',
  summary:
    'Disables a user, which signs them out everywhere, or enables them again. For an operator it needs a step-up.',
  access: 'merchantAdmin',
  limit: changes,
  errors: ['NOT_FOUND', 'OWN_ACCOUNT', 'SECOND_TOO_FRESH'],
  input: z.object({ id, status }),
  output: z.null(),
})

export const signOutUser = endpoint({
  path: '/api/merchant/user/signOut',
  summary: 'Signs a user out everywhere.',
  access: 'merchantAdmin',
  limit: changes,
  errors: ['NOT_FOUND'],
  input: z.object({ id }),
  output: z.object({ ended: z.number() }),
})

export const releaseMobile = endpoint({
  path: '/api/merchant/user/releaseMobile',
  summary: 'Removes a lost number from an account, which keeps its other ways to sign in; the user is notified.',
  access: 'merchantAdmin',
  stepUp: true,
  limit: changes,
  errors: ['NOT_FOUND', 'OWN_ACCOUNT', 'MOBILE_CHANGED', 'MOBILE_LAST', 'SECOND_TOO_FRESH'],
  input: z.object({
    id,
    reason: z.string().trim().min(1).max(200),
    /**
     * The number as it was shown, masked or whole, without prefix: a number that has changed meanwhile is left alone.
     */
    mobile: z.string().max(40).optional(),
  }),
  output: z.null(),
})

export const cancelUserRecovery = endpoint({
  path: '/api/merchant/user/cancelRecovery',
  summary: 'Ends a recovery of the number that the user reports as not theirs; the user is notified.',
  access: 'merchantAdmin',
  limit: changes,
  errors: ['NOT_FOUND', 'RECOVERY_NONE'],
  input: z.object({ id, reason: z.string().trim().min(1).max(200) }),
  output: z.null(),
})

export const setUserRights = endpoint({
  path: '/api/merchant/user/rights',
  summary: 'Sets the back-office permissions of a user; READ comes with the others. The last ADMIN stays.',
  access: 'merchantAdmin',
  stepUp: true,
  limit: changes,
  errors: ['NOT_FOUND', 'LAST_ADMIN', 'SECOND_TOO_FRESH'],
  input: z.object({ id, actions: z.array(z.enum(merchantRights)).max(3) }),
  output: z.null(),
})

export const resetOperatorFactors = endpoint({
  path: '/api/merchant/user/resetFactors',
  summary:
    'Removes the second factors of another operator, who lost them, and ends their sessions. Answers the code with which they enrol again, for 15 minutes.',
  access: 'merchantAdmin',
  stepUp: true,
  limit: changes,
  errors: ['NOT_FOUND', 'OWN_ACCOUNT', 'SECOND_TOO_FRESH'],
  input: z.object({ id, reason: z.string().trim().min(1).max(200) }),
  output: z.object({ enrolment: z.string(), expires: z.number() }),
})

export const exportUsers = endpoint({
  path: '/api/merchant/user/export',
  summary: 'Begins to export the users of a search or filter, numbers whole, to a CSV file.',
  access: 'merchantAdmin',
  stepUp: true,
  limit: { calls: 20, seconds: 60 },
  errors: ['EXPORT_BUSY', 'OPERATOR_TOO_NEW', 'SECOND_TOO_FRESH'],
  input: wanted,
  output: madeFile,
})

export const userExports = endpoint({
  path: '/api/merchant/user/exports',
  summary: "The caller's own CSV files of the last day, newest first, and how far each is.",
  access: 'merchantAdmin',
  limit,
  input: nothing,
  output: listOf(madeFile),
})
