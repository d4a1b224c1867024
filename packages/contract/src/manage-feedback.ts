import { z } from 'zod'
import { managed } from './endpoint.ts'
import { messageMost } from './feedback-rules.ts'
import { cursorPaging, pageOf } from './manage-users.ts'

const id = z.uuid()

const conversation = z
  .object({
    id: z.string(),
    /** The id of the user who began it. */
    user: z.string(),
    /** 0 pending, 1 processing, 2 replied, 3 offered as solved, 4 closed, 5 unsolvable. */
    status: z.int().min(0).max(5),
    /** Of the last message. */
    time: z.number(),
    /** Since when the user waits for the merchant. */
    waitingSince: z.number().nullable(),
    /** The number of the last entry. */
    lastSeq: z.number(),
  })
  .meta({ id: 'ManagedConversation' })
export type ManagedFeedback = z.infer<typeof conversation>

const entry = z
  .object({
    seq: z.number(),
    role: z.enum(['user', 'merchant']),
    message: z.string(),
    time: z.number(),
    /** Of an explicit change of the status, whose message is empty. */
    status: z.number().optional(),
  })
  .meta({ id: 'ManagedEntry' })

export const listManagedFeedback = managed({
  method: 'GET',
  path: '/api/manage/v1/feedback',
  summary: 'Conversations, newest message first, page by page.',
  scope: 'feedback:read',
  input: cursorPaging.extend({
    status: z.enum(['0', '1', '2', '3', '4', '5']).optional(),
  }),
  output: pageOf(conversation),
})

export const readManagedFeedback = managed({
  method: 'GET',
  path: '/api/manage/v1/feedback/:id',
  summary: 'A conversation with its newest entries.',
  scope: 'feedback:read',
  tagged: true,
  errors: ['NOT_FOUND'],
  input: z.object({ id }),
  output: conversation.extend({
    entries: z.array(entry),
    /** Whether there are older entries than these. */
    more: z.boolean(),
  }),
})

const moved = z.object({ id: z.string(), seq: z.number(), status: z.number() }).meta({ id: 'ManagedMove' })

export const replyManagedFeedback = managed({
  method: 'POST',
  path: '/api/manage/v1/feedback/:id/reply',
  summary: 'Replies to a conversation as the merchant.',
  scope: 'feedback:write',
  changes: true,
  tagged: true,
  errors: ['NOT_FOUND', 'FEEDBACK_STATUS_CONFLICT'],
  input: z.object({ id, message: z.string().trim().min(1).max(messageMost) }),
  output: moved,
})

export const closeManagedFeedback = managed({
  method: 'POST',
  path: '/api/manage/v1/feedback/:id/close',
  summary: 'Closes a conversation in which both sides have written.',
  scope: 'feedback:write',
  changes: true,
  tagged: true,
  errors: ['NOT_FOUND', 'FEEDBACK_STATUS_CONFLICT'],
  input: z.object({ id }),
  output: moved,
})
