import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { factorProof, factorWay } from './factors.ts'
import { powSolution } from './fields.ts'
import { code, sent } from './verify-code.ts'

const limit = { calls: 60, seconds: 60 }

/** The ways of a step-up. */
export const way = z.enum(['mobile', 'email', 'password'])
export type Way = z.infer<typeof way>

/** What counts besides a texted code; WeChat is proved by a navigation, not by `verify`. */
const secondWay = z.enum([...way.options, 'wechat'])
export type SecondWay = z.infer<typeof secondWay>

export const twoFactorState = endpoint({
  path: '/api/user/twoFactor/state',
  summary:
    'Whether this session has a step-up, how it can get one, and whether a new browser owes a second identity proof.',
  access: 'user',
  input: nothing,
  output: z.object({
    twoFactor: z.boolean(),
    /** The way that the page offers; null for an account that has none of them. */
    way: way.nullable(),
    /**
     * Kinds of which one more is needed before the number can be changed or WeChat unbound in this browser; empty when
     * none is, or none counts yet.
     */
    second: z.array(secondWay),
    /** Of a protected account: its factors, the only ways of its step-up; empty for others. */
    factors: z.array(factorWay),
  }),
})

export const twoFactorPasskeyOptions = endpoint({
  path: '/api/user/twoFactor/passkey/options',
  summary: 'The options to ask the browser for a passkey of the own account with.',
  access: 'user',
  limit,
  errors: ['PASSKEY_UNKNOWN'],
  input: nothing,
  output: z.record(z.string(), z.unknown()),
})

export const sendTwoFactorMobileCode = endpoint({
  path: '/api/user/twoFactor/sendMobileCode',
  summary: "Sends a code to the user's own number by SMS.",
  access: 'user',
  limit,
  errors: ['CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED'],
  input: z.object({ proof: powSolution.optional() }),
  output: sent,
})

export const sendTwoFactorEmailCode = endpoint({
  path: '/api/user/twoFactor/sendEmailCode',
  summary: "Mails a code to the user's own address.",
  access: 'user',
  limit,
  errors: ['CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED'],
  input: z.object({ proof: powSolution.optional() }),
  output: sent,
})

export const verifyTwoFactor = endpoint({
  path: '/api/user/twoFactor/verify',
  summary:
    'The step-up, by a code (SMS unless said otherwise) or by the password; of a protected account by a second factor. Counts for ten minutes.',
  access: 'user',
  limit,
  errors: [
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'PASSWORD_WRONG',
    'LOGIN_PAUSED',
    'FACTOR_WRONG',
    'FACTOR_PAUSED',
    'FACTOR_NONE',
    'PASSKEY_UNKNOWN',
  ],
  input: factorProof.extend({
    code: code.optional(),
    password: z.string().min(1).max(128).optional(),
    /** Where the code went; left out, the way that the account's page offers. */
    way: way.optional(),
    proof: powSolution.optional(),
  }),
  output: z.null(),
})
