import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { noteMost, replyTextMost, replyTitleMost } from './feedback-rules.ts'

/*
 * What operators have among themselves beside a conversation. The person who wrote never gets any of it.
 */

const limit = { calls: 1_200, seconds: 60 }
const id = z.uuid()

/** An operator, as colleagues know them. */
const colleague = z.object({ id: z.string(), name: z.string().nullable() })
export type Colleague = z.infer<typeof colleague>

const note = z.object({ id: z.string(), author: colleague, text: z.string(), time: z.number() })
export type FeedbackNote = z.infer<typeof note>

export const listNotes = endpoint({
  path: '/api/merchant/feedback/notes',
  summary: 'What operators noted about a conversation, oldest first.',
  access: 'merchantRead',
  limit,
  input: z.object({ id }),
  output: z.array(note),
})

export const addNote = endpoint({
  path: '/api/merchant/feedback/addNote',
  summary: 'Notes something about a conversation for other operators.',
  access: 'merchantWrite',
  limit,
  input: z.object({
    id,
    text: z.string().trim().min(1).max(noteMost),
    /** Whatever the page has made up for this very note: the same again adds nothing. */
    key: z.uuid(),
  }),
  output: note,
})

export const removeNote = endpoint({
  path: '/api/merchant/feedback/removeNote',
  summary: 'Takes an own note back.',
  access: 'merchantWrite',
  limit,
  input: z.object({ id, note: id }),
  output: z.null(),
})

export const answering = endpoint({
  path: '/api/merchant/feedback/answering',
  summary: 'Says whether one writes a reply just now, and hears who else does.',
  access: 'merchantRead',
  // Without a limit: what counts calls may be away, and nobody who writes is to meet an error for that.
  polled: true,
  input: z.object({
    id,
    /** Left out it only hears: a second tab of whoever writes ends nothing. */
    writing: z.boolean().optional(),
  }),
  output: z.array(colleague),
})

const reply = z.object({ id: z.string(), title: z.string(), text: z.string() })
export type QuickReply = z.infer<typeof reply>

export const listReplies = endpoint({
  path: '/api/merchant/replies/query',
  summary: 'The answers that are kept ready for all operators of the site, by title.',
  access: 'merchantRead',
  limit,
  input: nothing,
  output: z.array(reply),
})

export const saveReply = endpoint({
  path: '/api/merchant/replies/save',
  summary: 'Keeps a new answer ready, or changes one.',
  access: 'merchantWrite',
  limit,
  input: z.object({
    id: id.optional(),
    title: z.string().trim().min(1).max(replyTitleMost),
    text: z.string().trim().min(1).max(replyTextMost),
    /** Whatever the page has made up for this very new one: the same again keeps nothing more and changes nothing. */
    key: z.uuid().optional(),
  }),
  output: reply,
})

export const removeReply = endpoint({
  path: '/api/merchant/replies/remove',
  summary: 'Keeps an answer ready no longer.',
  access: 'merchantWrite',
  limit,
  input: z.object({ id }),
  output: z.null(),
})
