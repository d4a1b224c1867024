import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { listOf, madeFile } from './fields.ts'

const limit = { calls: 60, seconds: 60 }

export const exportData = endpoint({
  path: '/api/user/data/export',
  summary: 'Begins to export all data of the user to an archive. A new browser owes a second identity proof.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['EXPORT_BUSY', 'EXPORT_LIMITED', 'SECOND_TOO_FRESH'],
  input: nothing,
  output: madeFile,
})

export const dataExports = endpoint({
  path: '/api/user/data/exports',
  summary: "The user's archives of the last day, newest first, with their progress.",
  access: 'user',
  limit: { calls: 300, seconds: 60 },
  input: nothing,
  output: listOf(madeFile),
})

export const closeAccount = endpoint({
  path: '/api/user/account/close',
  summary: 'Asks for the account to be erased in seven days. A new browser owes a second identity proof.',
  access: 'user',
  stepUp: true,
  limit,
  errors: ['CLOSING_ALREADY', 'LAST_ADMIN', 'SECOND_TOO_FRESH'],
  input: nothing,
  /** When it will be erased. */
  output: z.object({ due: z.number() }),
})

export const keepAccount = endpoint({
  path: '/api/user/account/keep',
  summary: 'Revokes the closing of the account.',
  access: 'user',
  limit,
  errors: ['CLOSING_NONE'],
  input: nothing,
  output: z.null(),
})

const consent = z.object({ version: z.string(), time: z.number() }).meta({ id: 'AgreementConsent' })

export const listConsents = endpoint({
  path: '/api/user/agreements/list',
  summary: 'The versions of the agreements that the user has agreed to, newest first.',
  access: 'user',
  limit: { calls: 300, seconds: 60 },
  input: nothing,
  output: listOf(consent),
})

export const agree = endpoint({
  path: '/api/user/agreements/agree',
  summary: 'Agrees to the version of the agreements that is in force.',
  access: 'user',
  limit,
  errors: ['AGREEMENTS_OTHER'],
  input: z.object({ version: z.string().min(1).max(40) }),
  output: z.null(),
})
