import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { email, mobile, mobilePrefix } from './fields.ts'
import { code } from './verify-code.ts'

const limit = { calls: 60, seconds: 60 }

export const changeMobile = endpoint({
  path: '/api/user/account/changeMobile',
  summary: 'Moves the account to another number, proved by a code texted to it.',
  access: 'user',
  stepUp: true,
  limit,
  errors: [
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'MOBILE_INVALID',
    'UNCHANGED',
    'MOBILE_TAKEN',
    'SECOND_TOO_FRESH',
  ],
  input: z.object({ mobilePrefix, mobile, code }),
  output: z.null(),
})

export const changePassword = endpoint({
  path: '/api/user/account/changePassword',
  summary: 'Sets a password and ends the other sessions.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['PASSWORD_SYMBOLS', 'PASSWORD_LENGTH', 'PASSWORD_CONTAIN', 'PASSWORD_COMMON', 'SECOND_TOO_FRESH'],
  input: z.object({ password: z.string().max(128) }),
  output: z.null(),
})

export const changeEmail = endpoint({
  path: '/api/user/account/changeEmail',
  summary: 'Sets the e-mail address, proved by a code mailed to it.',
  access: 'user',
  stepUp: true,
  limit,
  errors: [
    'EMAIL_INVALID',
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'UNCHANGED',
    'EMAIL_TAKEN',
    'SECOND_TOO_FRESH',
  ],
  input: z.object({ email, code }),
  output: z.null(),
})

export const changeUsername = endpoint({
  path: '/api/user/account/changeUsername',
  summary: 'Sets the name to sign in with.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['USERNAME_INVALID', 'UNCHANGED', 'USERNAME_TAKEN', 'SECOND_TOO_FRESH'],
  input: z.object({ username: z.string().max(64) }),
  output: z.null(),
})
