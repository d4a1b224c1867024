import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { mobile, mobilePrefix, powSolution } from './fields.ts'
import { code, sent } from './verify-code.ts'

const limit = { calls: 60, seconds: 60 }

/** Held by the browser that sent the password; ten minutes. */
const ticket = z.string().max(128)

/**
 * The state: not begun, waiting, or ready for a new number. `undo`: it was opened with the password before a recent
 * change, which can be undone now.
 */
const stage = z.enum(['none', 'waiting', 'ready', 'undo'])

/** What was lost: the number, or the second factors. */
export const recoveryPurpose = z.enum(['mobile', 'factor'])
export type RecoveryPurpose = z.infer<typeof recoveryPurpose>

const standing = z
  .object({
    stage,
    /** Of the recovery that waits or is ready; null while none is begun. */
    purpose: recoveryPurpose.nullable(),
    /** Whether the account is protected: only then can factors be removed. */
    protected: z.boolean(),
    /** From when a new number can be set; null while none is begun. */
    ready: z.number().nullable(),
    /** Until when. */
    expires: z.number().nullable(),
  })
  .meta({ id: 'RecoveryStanding' })
export type RecoveryStanding = z.infer<typeof standing>

export const openRecovery = endpoint({
  path: '/api/recovery/open',
  summary:
    'The first identity proof of an account whose number is lost: its password. Reveals nothing of the account before it.',
  access: 'public',
  limit,
  errors: ['LOGIN_FAILED', 'LOGIN_PAUSED', 'PROOF_REQUIRED', 'METHOD_DISABLED', 'ACCOUNT_DISABLED', 'RECOVERY_CONTACT'],
  input: z.object({
    /** Username, e-mail or the lost number. */
    account: z.string().trim().min(1).max(254),
    password: z.string().min(1).max(128),
    proof: powSolution.optional(),
  }),
  output: z.object({ ticket: z.string(), /** Masked. */ email: z.string() }),
})

export const sendRecoveryEmailCode = endpoint({
  path: '/api/recovery/sendEmailCode',
  summary: "Mails a code to the account's own address, the second identity proof.",
  access: 'public',
  limit,
  errors: ['CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED', 'RECOVERY_EXPIRED'],
  input: z.object({ ticket, proof: powSolution.optional() }),
  output: sent,
})

export const proveRecovery = endpoint({
  path: '/api/recovery/prove',
  summary: 'The second identity proof. Returns the state of the recovery; this alone begins none.',
  access: 'public',
  limit,
  errors: ['CODE_WRONG', 'CODE_TRIES_EXCEEDED', 'PROOF_REQUIRED', 'RECOVERY_EXPIRED'],
  input: z.object({ ticket, code, proof: powSolution.optional() }),
  output: standing,
})

export const startRecovery = endpoint({
  path: '/api/recovery/start',
  summary: 'Begins the wait of 72 hours, after both proofs; every contact of the account is notified.',
  access: 'public',
  limit,
  errors: ['RECOVERY_EXPIRED', 'RECOVERY_CONTACT'],
  input: z.object({ ticket, purpose: recoveryPurpose.default('mobile') }),
  output: standing,
})

export const sendRecoveryMobileCode = endpoint({
  path: '/api/recovery/sendMobileCode',
  summary: 'Sends a code to the new number by SMS, after both proofs and the wait.',
  access: 'public',
  limit,
  errors: [
    'MOBILE_INVALID',
    'CODE_SEND_FAILED',
    'CODE_SEND_LIMITED',
    'PROOF_REQUIRED',
    'RECOVERY_EXPIRED',
    'RECOVERY_NONE',
    'RECOVERY_WAITING',
    'MOBILE_TAKEN',
    'UNCHANGED',
  ],
  input: z.object({ ticket, mobilePrefix, mobile, proof: powSolution.optional() }),
  output: sent,
})

export const undoByRecovery = endpoint({
  path: '/api/recovery/undo',
  summary:
    'After both proofs, the first by the password before a change of the last 72 hours: restores the account and sets a new password.',
  access: 'public',
  limit,
  errors: ['PASSWORD_SYMBOLS', 'PASSWORD_LENGTH', 'PASSWORD_CONTAIN', 'PASSWORD_COMMON', 'RECOVERY_EXPIRED'],
  input: z.object({ ticket, newPassword: z.string().min(1).max(128) }),
  output: z.null(),
})

export const finishRecovery = endpoint({
  path: '/api/recovery/finish',
  summary: 'Sets the new number and ends every session; begins none.',
  access: 'public',
  limit,
  errors: [
    'MOBILE_INVALID',
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'UNCHANGED',
    'MOBILE_TAKEN',
    'RECOVERY_EXPIRED',
    'RECOVERY_NONE',
    'RECOVERY_WAITING',
  ],
  input: z.object({ ticket, mobilePrefix, mobile, code }),
  output: z.null(),
})

export const finishFactorRecovery = endpoint({
  path: '/api/recovery/removeFactors',
  summary: 'Removes the lost second factors after the wait and ends every session; begins none. Never for operators.',
  access: 'public',
  limit,
  errors: ['RECOVERY_CONTACT', 'RECOVERY_EXPIRED', 'RECOVERY_NONE', 'RECOVERY_WAITING'],
  input: z.object({ ticket }),
  output: z.null(),
})

export const cancelRecovery = endpoint({
  path: '/api/user/recovery/cancel',
  summary: 'Ends a recovery of the own account that waits or is ready.',
  access: 'user',
  limit,
  errors: ['RECOVERY_NONE', 'TWO_FACTOR_REQUIRED'],
  input: nothing,
  output: z.null(),
})

export const stopNoticedRecovery = endpoint({
  path: '/api/recovery/stop',
  summary: "Ends the recovery behind a notice's link. Works once and begins no session.",
  access: 'public',
  limit,
  errors: ['NOTICE_EXPIRED'],
  input: z.object({ token: z.string().regex(/^[\w-]{43}$/) }),
  output: z.null(),
})
