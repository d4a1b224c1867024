import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { powSolution } from './fields.ts'
import { code, sent } from './verify-code.ts'

const limit = { calls: 60, seconds: 60 }

/** From the link of a notice. */
const token = z.string().min(1).max(128)

/** For how long a change can be undone, in hours. */
export const undoHours = 72

/** What can be undone, by the name under which it is stored. */
export const undoableKinds = [
  'mobile',
  'password',
  'email',
  'username',
  'wechatBound',
  'wechatUnbound',
  'factorAdded',
  'factorRemoved',
] as const
export type UndoableKind = (typeof undoableKinds)[number]

const way = z.enum(['password', 'mobile'])
export type UndoWay = z.infer<typeof way>

const change = z
  .object({
    id: z.uuid(),
    kind: z.enum(undoableKinds),
    time: z.number(),
    /** The change of the notice. */
    noticed: z.boolean(),
    /** How the owner can prove their identity besides the mailbox: by what the account had before this change. */
    ways: z.array(way),
    /** The number that a code would be sent to, masked. */
    mobile: z.string().nullable(),
  })
  .meta({ id: 'UndoableChange' })
export type UndoableChange = z.infer<typeof change>

export const readUndo = endpoint({
  path: '/api/undo/read',
  summary: 'The changes of the last 72 hours that the link of a notice can undo, newest first. Changes nothing.',
  access: 'public',
  limit,
  errors: ['NOTICE_EXPIRED'],
  input: z.object({ token }),
  output: z.object({ changes: z.array(change) }),
})

export const sendUndoCode = endpoint({
  path: '/api/undo/sendCode',
  summary: 'Texts a code to the number that the account had before the change.',
  access: 'public',
  limit,
  errors: ['CODE_SEND_FAILED', 'CODE_SEND_LIMITED', 'PROOF_REQUIRED', 'NOTICE_EXPIRED'],
  input: z.object({ token, from: z.uuid(), proof: powSolution.optional() }),
  output: sent,
})

export const applyUndo = endpoint({
  path: '/api/undo/apply',
  summary:
    'Restores names, contacts and bindings to before the change, sets a new password and ends every session. Needs an identity proof besides the link.',
  access: 'public',
  limit,
  errors: [
    'CODE_WRONG',
    'CODE_TRIES_EXCEEDED',
    'PROOF_REQUIRED',
    'PASSWORD_WRONG',
    'LOGIN_PAUSED',
    'PASSWORD_SYMBOLS',
    'PASSWORD_LENGTH',
    'PASSWORD_CONTAIN',
    'PASSWORD_COMMON',
    'NOTICE_EXPIRED',
  ],
  input: z.object({
    token,
    /** The first change that wasn't the owner's; it and all later ones are undone. */
    from: z.uuid(),
    /** The password before that change, or a code texted to the number before it. */
    password: z.string().min(1).max(128).optional(),
    code: code.optional(),
    newPassword: z.string().min(1).max(128),
    proof: powSolution.optional(),
  }),
  output: z.null(),
})
