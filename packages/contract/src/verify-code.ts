import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { email, mobile, mobilePrefix, powSolution } from './fields.ts'
import { codeLength } from './verify-code-rules.ts'

export const code = z.string().regex(new RegExp(`^\\d{${codeLength}}$`))

/** How many seconds must pass before the next send to this receiver. */
export const sent = z.object({ retryAfter: z.number() }).meta({ id: 'CodeSent' })

/** A script that uses many numbers hits the quotas; this only keeps one address from flooding the counters. */
const limit = { calls: 600, seconds: 60 }

export const sendMobileCode = endpoint({
  path: '/api/verifyCode/mobile',
  summary: 'Sends a code by SMS: to sign in with, or, with a session, to move the account to this number.',
  access: 'public',
  limit,
  errors: ['MOBILE_INVALID', 'CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED'],
  input: z.object({
    mobilePrefix,
    mobile,
    /** With a session: a code to sign in with again, as some clients demand. */
    type: z.enum(['login']).optional(),
    proof: powSolution.optional(),
  }),
  output: sent,
})

export const sendEmailCode = endpoint({
  path: '/api/verifyCode/email',
  summary: 'Mails a code to an address that is to become the own one.',
  access: 'user',
  limit,
  errors: ['EMAIL_INVALID', 'CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED'],
  input: z.object({ email, type: z.enum(['authorize']), proof: powSolution.optional() }),
  output: sent,
})
