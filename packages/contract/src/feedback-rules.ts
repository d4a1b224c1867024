/** The status of a conversation. */
export const feedbackStatus = {
  /** New: no operator has begun. */
  pending: 0,
  processing: 1,
  /** The merchant has replied and is asked whether that solved it. */
  replied: 2,
  /** The merchant calls it solved; the user is asked. */
  offered: 3,
  closed: 4,
  unsolvable: 5,
} as const
export type FeedbackStatus = (typeof feedbackStatus)[keyof typeof feedbackStatus]

/** The sides of a conversation. */
export type FeedbackRole = 'user' | 'merchant'

/** All facts that decide which moves a conversation allows. */
export interface FeedbackFacts {
  status: FeedbackStatus
  /** Whether the merchant called it solved since it was last closed. */
  offered: boolean
  /** Messages with text, by side. */
  userTexts: number
  merchantTexts: number
}

/** The moves of either side; the explicit ones leave an entry with the status they set. */
export const feedbackMoves = {
  userSends: { explicit: false },
  userConfirms: { explicit: true },
  merchantReplies: { explicit: false },
  merchantStarts: { explicit: true },
  merchantSolves: { explicit: true },
  merchantLimits: { explicit: true },
  merchantCloses: { explicit: true },
} as const
export type FeedbackMove = keyof typeof feedbackMoves

const { pending, processing, replied, offered, closed, unsolvable } = feedbackStatus

/** The merchant's explicit moves, by the status that a call names. */
export const merchantMoves: Partial<Record<number, FeedbackMove>> = {
  [processing]: 'merchantStarts',
  [offered]: 'merchantSolves',
  [closed]: 'merchantCloses',
  [unsolvable]: 'merchantLimits',
}

/** Whether the merchant may close it without the user: both have written. */
export const mayForceClose = ({ status, userTexts, merchantTexts }: FeedbackFacts): boolean =>
  status !== closed && userTexts > 1 && merchantTexts > 0

/** Whether the user is asked if it is resolved. */
const asksResolved = ({ status, offered: wasOffered }: FeedbackFacts): boolean =>
  status === offered || (status < offered && wasOffered)

/** The state table: where a move leads, or undefined where it is refused. */
export function nextStatus(facts: FeedbackFacts, move: FeedbackMove): FeedbackStatus | undefined {
  const { status } = facts
  const table: Record<FeedbackMove, FeedbackStatus | undefined> = {
    userSends: status === closed ? undefined : status === pending ? pending : processing,
    userConfirms: asksResolved(facts) ? closed : undefined,
    merchantReplies: status === offered ? offered : replied,
    merchantStarts: status === pending ? processing : undefined,
    merchantSolves: status === replied ? offered : undefined,
    merchantLimits: status === replied ? unsolvable : undefined,
    merchantCloses: mayForceClose(facts) ? closed : undefined,
  }
  return table[move]
}

/** The facts after a move that was not refused. A message of pictures alone has no text. */
export function afterMove(
  facts: FeedbackFacts,
  move: FeedbackMove,
  status: FeedbackStatus,
  wordless = false,
): FeedbackFacts {
  const texts = wordless ? 0 : 1
  return {
    status,
    offered: status === closed ? false : facts.offered || move === 'merchantSolves',
    userTexts: facts.userTexts + (move === 'userSends' ? texts : 0),
    merchantTexts: facts.merchantTexts + (move === 'merchantReplies' ? texts : 0),
  }
}

export type UserPrompt = 'resolved' | 'moreDetail' | 'closed' | 'unsolvable'

/** What the user is asked or shown, one thing at a time. */
export function userPrompt(facts: FeedbackFacts): UserPrompt | undefined {
  if (facts.status === closed) return 'closed'
  if (asksResolved(facts)) return 'resolved'
  if (facts.status === replied) return 'moreDetail'
  return facts.status === unsolvable ? 'unsolvable' : undefined
}

export type MerchantPrompt = 'start' | 'solved' | 'reopens'

export function merchantPrompt({ status }: FeedbackFacts): MerchantPrompt | undefined {
  if (status === pending) return 'start'
  if (status === replied) return 'solved'
  return status === closed ? 'reopens' : undefined
}

/** Waiting for the merchant. */
export const isWaiting = (status: FeedbackStatus): boolean => status === pending || status === processing

/** A message after trimming. */
export const messageMost = 5_000
/** How much of a message a list shows. */
const previewLength = 100
/** Pictures that one message may carry. */
export const picturesMost = 6
/** Pictures that a user may upload in 24 hours, sent or not; an operator serves many users. */
export const picturesADay = { user: 60, merchant: 600 } as const
/** Shown in lists and notices for a message of pictures alone. */
export const picturesOnly = '[图片]'
/** GET with `id`: a picture of a conversation, for its user and for operators. */
const picturePath = '/api/feedback/picture'
export const feedbackPicturePath = (id: string): string => `${picturePath}?id=${id}`

/** The user's rating of a closed conversation. */
export const ratingMost = 5
export const ratingWordsMost = 500

/** Internal notes of operators. */
export const noteMost = 2_000
export const notesMost = 200

/** Prepared replies, shared by all operators of a site. */
export const replyTitleMost = 20
export const replyTextMost = 1_000
export const repliesMost = 100

/** How many of the newest entries a conversation is returned with. */
export const entriesShown = 50
/** How many conversations a list returns. */
export const listed = 100

/** The reference that users quote. */
export const referenceOf = (id: string): string => id.slice(0, 6).toUpperCase()

/** By user-perceived characters, so that none is cut in half. */
export function previewOf(message: string): string {
  const characters = [...message]
  return characters.length > previewLength ? `${characters.slice(0, previewLength).join('')}…` : message
}
