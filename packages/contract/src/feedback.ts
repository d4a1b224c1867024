import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { type FeedbackRole, messageMost } from './feedback-rules.ts'
import { listOf } from './fields.ts'

/** Carriers put thousands behind one address. */
const limit = { calls: 1_200, seconds: 60 }

const id = z.uuid()
const seq = z.int().min(0).max(1_000_000_000)

/** Trimmed here and on the page; a blank one is refused. */
const message = z.string().trim().min(1).max(messageMost)

/** Whatever the page has made up for this very message: the same again adds nothing. */
const key = z.string().regex(/^[\w-]{8,64}$/)

/** Where a page of the list ends: id and time of its last conversation, the waiting since where those come first. */
const before = z.object({ time: z.number(), id })

const status = z.int().min(0).max(5)

/** One entry of `content` once that is parsed. */
export interface FeedbackEntry {
  seq: number
  role: FeedbackRole
  message: string
  time: number
  /** Of an explicit change, whose message is empty. */
  status?: number
}

const item = z.object({
  id: z.string(),
  status,
  /** Of the sender; masked for merchants unless the site says otherwise. */
  mobile: z.string().nullable(),
  /** Of the last message with text. */
  time: z.number(),
  /** A JSON string of entries: the newest, or as asked. */
  content: z.string(),
  /** Whether older entries can be asked for. */
  more: z.boolean(),
  lastSeq: z.number(),
  /** Since when the person waits for the merchant. */
  waitingSince: z.number().nullable(),
  /** Whether there is something that this side hasn't seen. */
  unread: z.boolean(),
  offered: z.boolean(),
  userTexts: z.number(),
  merchantTexts: z.number(),
})
export type FeedbackItem = z.infer<typeof item>

/** With it, `content` holds the last message with text alone. */
const brief = z.boolean().optional()

const sent = z.object({ id: z.string(), seq: z.number(), status })

/** After a number what is new, before a number what is older, else the newest. */
const part = z.object({ id, before: seq.optional(), after: seq.optional() })

export const listFeedback = endpoint({
  path: '/api/user/feedback/query',
  summary: 'The own conversations, newest message first.',
  access: 'user',
  limit,
  input: z.object({ before: before.optional(), brief }),
  output: listOf(item),
})

export const readFeedback = endpoint({
  path: '/api/user/feedback/read',
  summary: 'One of the own conversations: its newest entries, older ones, or those after a number.',
  access: 'user',
  limit,
  input: part,
  output: item,
})

export const sendFeedback = endpoint({
  path: '/api/user/feedback/send',
  summary: 'Adds a message to a conversation, or begins one.',
  access: 'user',
  limit,
  input: z.object({ id: id.optional(), message, key: key.optional() }),
  output: sent,
})

export const confirmFeedback = endpoint({
  path: '/api/user/feedback/confirm',
  summary: 'Says that it is resolved, which closes the conversation.',
  access: 'user',
  limit,
  input: z.object({ id }),
  output: sent,
})

export const seeFeedback = endpoint({
  path: '/api/user/feedback/seen',
  summary: 'Notes how far the person has read.',
  access: 'user',
  limit,
  input: z.object({ id, seq }),
  output: z.null(),
})

export const listMerchantFeedback = endpoint({
  path: '/api/merchant/feedback/query',
  summary: 'Conversations of the site: newest first, or who waits longest; by status; by reference or number.',
  access: 'merchantRead',
  limit,
  input: z.object({
    before: before.optional(),
    /** Only those that wait for the merchant. */
    waiting: z.boolean().optional(),
    status: status.optional(),
    longestFirst: z.boolean().optional(),
    search: z.string().trim().max(40).optional(),
    /** Of one person. */
    userId: z.uuid().optional(),
    brief,
  }),
  output: listOf(item),
})

/** Who wrote, as far as an operator needs to know. */
const person = z.object({
  id: z.string(),
  nickname: z.string().nullable(),
  mobile: z.string().nullable(),
  avatar: z.string().nullable(),
  since: z.number(),
  devices: z.array(z.object({ browser: z.string(), os: z.string(), region: z.string().nullable(), time: z.number() })),
  earlier: z.array(z.object({ id: z.string(), status, time: z.number(), preview: z.string() })),
})
export type FeedbackPerson = z.infer<typeof person>

export const readMerchantFeedback = endpoint({
  path: '/api/merchant/feedback/read',
  summary: 'Any conversation of the site: its newest entries, older ones, or those after a number.',
  access: 'merchantRead',
  limit,
  input: part,
  output: item,
})

export const feedbackPerson = endpoint({
  path: '/api/merchant/feedback/person',
  summary: 'Who wrote a conversation: devices and earlier conversations.',
  access: 'merchantRead',
  limit,
  input: z.object({ id }),
  output: person,
})

export const replyFeedback = endpoint({
  path: '/api/merchant/feedback/send',
  summary: 'Replies.',
  access: 'merchantWrite',
  limit,
  input: z.object({ id, message, key: key.optional() }),
  output: sent,
})

export const setFeedbackStatus = endpoint({
  path: '/api/merchant/feedback/status',
  summary: 'An explicit move: begun (1), solved (3), closed (4) or unable to solve (5).',
  access: 'merchantWrite',
  limit,
  input: z.object({ id, status }),
  output: sent,
})

export const seeMerchantFeedback = endpoint({
  path: '/api/merchant/feedback/seen',
  summary: 'Notes how far the merchant has read.',
  access: 'merchantRead',
  limit,
  input: z.object({ id, seq }),
  output: z.null(),
})

/** For the dots in the navigation. */
export const unreadFeedback = endpoint({
  path: '/api/user/feedback/unread',
  summary: 'Whether there is anything new: for the person, and for whoever works in the back-office.',
  access: 'user',
  limit,
  input: z.object({}),
  output: z.object({ user: z.number(), merchant: z.number() }),
})
