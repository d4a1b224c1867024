import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { mobile, mobilePrefix, powSolution } from './fields.ts'
import { code } from './verify-code.ts'

const limit = { calls: 600, seconds: 60 }

/** The version of the agreements that the user has agreed to. */
const agreements = z.string().max(40).optional()

/** Who is signed in now, and whether the account is new. */
export const signedIn = z.object({ id: z.string(), created: z.boolean() }).meta({ id: 'SignedIn' })

export const loginByMobile = endpoint({
  path: '/api/login/mobile',
  summary: 'Signs in with a texted code; a new number gets an account while registration is open.',
  access: 'public',
  limit,
  errors: [
    'MOBILE_INVALID',
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'ACCOUNT_DISABLED',
    'METHOD_DISABLED',
    'FACTOR_REQUIRED',
    'REGISTRATION_CLOSED',
    'LOGIN_CONFIRM',
  ],
  input: z.object({ mobilePrefix, mobile, code, agreements, proof: powSolution.optional() }),
  output: signedIn,
})

export const loginByPassword = endpoint({
  path: '/api/login/password',
  summary: 'Signs in with username, e-mail or mobile number and a password.',
  access: 'public',
  limit,
  errors: ['LOGIN_FAILED', 'LOGIN_PAUSED', 'PROOF_REQUIRED', 'ACCOUNT_DISABLED', 'METHOD_DISABLED', 'FACTOR_REQUIRED'],
  input: z.object({
    account: z.string().trim().min(1).max(254),
    password: z.string().min(1).max(128),
    agreements,
    proof: powSolution.optional(),
  }),
  output: signedIn,
})

/** Further identity proofs that an account may use; WeChat is proved by signing in there instead of answering here. */
export const confirmProof = z.enum(['password', 'email', 'wechat'])
export type ConfirmProof = z.infer<typeof confirmProof>

export const confirmLogin = endpoint({
  path: '/api/login/confirm',
  summary: "Answers LOGIN_CONFIRM: whether the account behind a number that was not proved for long is the user's own.",
  access: 'public',
  limit: { calls: 60, seconds: 60 },
  errors: [
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'ACCOUNT_DISABLED',
    'METHOD_DISABLED',
    'FACTOR_REQUIRED',
    'LOGIN_FAILED',
    'LOGIN_PAUSED',
    'LOGIN_CONFIRM_EXPIRED',
    'LOGIN_PROOF_NEEDED',
    'REGISTRATION_CLOSED',
  ],
  input: z.object({
    ticket: z.string().max(128),
    mine: z.boolean(),
    password: z.string().min(1).max(128).optional(),
    code: code.optional(),
    /** For an account without any other identity proof: the user has confirmed the masked nickname. */
    sure: z.boolean().optional(),
    agreements,
    proof: powSolution.optional(),
  }),
  output: signedIn,
})

export const sendConfirmCode = endpoint({
  path: '/api/login/confirm/sendEmailCode',
  summary: "Mails a code to the account's own address, to confirm a sign-in with.",
  access: 'public',
  limit: { calls: 20, seconds: 60 },
  errors: ['CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED', 'LOGIN_CONFIRM_EXPIRED'],
  input: z.object({ ticket: z.string().max(128), proof: powSolution.optional() }),
  output: z.object({ retryAfter: z.number() }),
})

export const entry = endpoint({
  path: '/api/login/entry',
  summary: 'Where the sign-in page leads: an address under /api/ to go to at once, or the checked source to remember.',
  access: 'public',
  input: z.object({ source: z.string().max(4096).optional() }),
  output: z.string(),
})

export const logout = endpoint({
  path: '/api/logout',
  summary: 'Ends this session.',
  access: 'user',
  input: nothing,
  output: z.null(),
})
