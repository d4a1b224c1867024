import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { type FeedbackRole, messageMost, picturesMost, ratingMost, ratingWordsMost } from './feedback-rules.ts'
import { listOf, upload } from './fields.ts'
import { pictureRules } from './picture-rules.ts'

/** Carriers put thousands behind one address. */
const limit = { calls: 1_200, seconds: 60 }

const id = z.uuid()
const seq = z.int().min(0).max(1_000_000_000)

/** What is said: trimmed here and on the page; a blank message is refused unless it has pictures. */
const saying = z.object({
  message: z.string().trim().max(messageMost),
  /** Of pictures that were handed over before and stand in no message yet. */
  pictures: z.array(z.uuid()).max(picturesMost).optional(),
  /** Whatever the page has made up for this very message: the same again adds nothing. */
  key: z
    .string()
    .regex(/^[\w-]{8,64}$/)
    .optional(),
})
const saysSomething = ({ message, pictures }: z.output<typeof saying>) => message !== '' || Boolean(pictures?.length)
const blank = { path: ['message'] }

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
  pictures?: FeedbackPicture[]
}

/** A picture with the size at which it is kept, so that its room is there before it is. */
const picture = z.object({ id: z.string(), width: z.number(), height: z.number() })
export type FeedbackPicture = z.infer<typeof picture>

const rating = z.object({ score: z.number(), words: z.string(), time: z.number() })
export type FeedbackRating = z.infer<typeof rating>

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
  rating: rating.nullable(),
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
  input: saying.extend({ id: id.optional() }).refine(saysSomething, blank),
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

export const rateFeedback = endpoint({
  path: '/api/user/feedback/rate',
  summary: 'What the person thinks of one of their conversations that is closed; again, instead of before.',
  access: 'user',
  limit,
  input: z.object({
    id,
    score: z.int().min(1).max(ratingMost),
    words: z.string().trim().max(ratingWordsMost).default(''),
  }),
  output: rating,
})

const handedOver = {
  limit: { calls: 240, seconds: 60 },
  upload: { bytes: pictureRules.bytes },
  input: z.object({ file: upload }),
  output: picture,
}

export const addPicture = endpoint({
  path: '/api/user/feedback/picture',
  summary: 'Hands over a picture for a message to come: JPEG, PNG or WebP, kept as WebP without metadata.',
  access: 'user',
  ...handedOver,
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
  input: saying.extend({ id }).refine(saysSomething, blank),
  output: sent,
})

export const addReplyPicture = endpoint({
  path: '/api/merchant/feedback/picture',
  summary: 'Hands over a picture for a reply to come: JPEG, PNG or WebP, kept as WebP without metadata.',
  access: 'merchantWrite',
  ...handedOver,
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
