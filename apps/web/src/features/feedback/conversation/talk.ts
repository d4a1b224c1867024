import type { FeedbackEntry, FeedbackItem, FeedbackRating } from '@hufu/contract/feedback'
import type { FeedbackFacts, FeedbackStatus } from '@hufu/contract/feedback-rules'

/** Which side reads: the user who wrote, or the operators of the site. */
export const sides = ['user', 'merchant'] as const
export type Side = (typeof sides)[number]

/** A conversation as far as this page knows it: how it stands, and an unbroken run of entries up to the newest. */
export interface Talk extends FeedbackFacts {
  id: string
  mobile: string | null
  lastSeq: number
  unread: boolean
  rating: FeedbackRating | null
  entries: FeedbackEntry[]
}

export const entriesOf = ({ content }: Pick<FeedbackItem, 'content'>) => JSON.parse(content) as FeedbackEntry[]

/** The server's list has them already in a row. */
export function talkOf(item: FeedbackItem): Talk {
  const { id, mobile, lastSeq, unread, offered, userTexts, merchantTexts, rating } = item
  const status = item.status as FeedbackStatus
  return { id, mobile, status, lastSeq, unread, offered, userTexts, merchantTexts, rating, entries: entriesOf(item) }
}

/** Merges cached and fetched entries. Of two states the one with more entries is newer. */
export function joinTalks(known: Talk | undefined, came: Talk): Talk {
  if (!known) return came
  const entries = new Map([...known.entries, ...came.entries].map((entry) => [entry.seq, entry]))
  const facts = came.lastSeq >= known.lastSeq ? came : known
  return { ...facts, entries: [...entries.values()].sort((one, other) => one.seq - other.seq) }
}

/** The number up to which nothing is missing. */
export const knownUpTo = ({ entries }: Talk): number => entries.at(-1)?.seq ?? 0

/** Entries are numbered from 1. */
export const hasOlder = ({ entries }: Talk): boolean => (entries[0]?.seq ?? 1) > 1
