import { describe, expect, test } from 'vitest'
import {
  afterMove,
  type FeedbackFacts,
  type FeedbackMove,
  feedbackStatus,
  isWaiting,
  mayForceClose,
  merchantPrompt,
  nextStatus,
  previewOf,
  referenceOf,
  userPrompt,
} from './feedback-rules.ts'

const begun: FeedbackFacts = { status: 0, offered: false, userTexts: 1, merchantTexts: 0 }

/** Where a new conversation stands after these moves, all of which must be allowed. */
function after(...moves: FeedbackMove[]): FeedbackFacts {
  return moves.reduce((facts, move) => {
    const status = nextStatus(facts, move)
    if (status === undefined) throw new Error(`${move} is refused at ${facts.status}`)
    return afterMove(facts, move, status)
  }, begun)
}

describe('what a status means', () => {
  test('S267 0 is new: the merchant is asked to begin, the user nothing', () => {
    expect([begun.status, merchantPrompt(begun), userPrompt(begun), isWaiting(0)]).toEqual([
      0,
      'start',
      undefined,
      true,
    ])
  })
  test('S268 1 is processing: begun, and still the merchant’s turn', () => {
    const facts = after('merchantStarts')
    expect([facts.status, merchantPrompt(facts), isWaiting(facts.status)]).toEqual([1, undefined, true])
  })
  test('S269 2 is replied: the merchant is asked whether that solved it, the user for more detail', () => {
    const facts = after('merchantReplies')
    expect([facts.status, merchantPrompt(facts), userPrompt(facts)]).toEqual([2, 'solved', 'moreDetail'])
  })
  test('S270 3 is a solution offered: the user is asked', () => {
    const facts = after('merchantReplies', 'merchantSolves')
    expect([facts.status, facts.offered, userPrompt(facts)]).toEqual([3, true, 'resolved'])
  })
  test('S271 4 is closed: the user begins anew, a reply re-opens', () => {
    const facts = after('merchantReplies', 'merchantSolves', 'userConfirms')
    expect([facts.status, userPrompt(facts), merchantPrompt(facts)]).toEqual([4, 'closed', 'reopens'])
    expect([nextStatus(facts, 'userSends'), nextStatus(facts, 'merchantReplies')]).toEqual([undefined, 2])
  })
  test('S272 5 is unable to solve: the user may go on', () => {
    const facts = after('merchantReplies', 'merchantLimits')
    expect([facts.status, userPrompt(facts), nextStatus(facts, 'userSends')]).toEqual([5, 'unsolvable', 1])
  })
})

test('D063 what was offered before the last closing counts no more', () => {
  const facts = after('merchantReplies', 'merchantSolves', 'userConfirms', 'merchantReplies')
  expect([facts.status, facts.offered, userPrompt(facts)]).toEqual([2, false, 'moreDetail'])
})

test('force close needs two texts of the user, one of the merchant, and an open conversation', () => {
  expect(mayForceClose(begun)).toBe(false)
  expect(mayForceClose(after('merchantReplies'))).toBe(false)
  expect(mayForceClose(after('userSends'))).toBe(false)
  expect(mayForceClose(after('userSends', 'merchantReplies'))).toBe(true)
  expect(mayForceClose(after('userSends', 'merchantReplies', 'merchantCloses'))).toBe(false)
})

test('a message of nothing but pictures moves the status and counts as no text', () => {
  const shown = afterMove(after('merchantReplies'), 'userSends', 1, true)
  expect(shown).toEqual({ ...begun, status: 1, merchantTexts: 1 })
  const answered = afterMove(after('userSends'), 'merchantReplies', 2, true)
  expect([answered.status, mayForceClose(shown), mayForceClose(answered)]).toEqual([2, false, false])
})

test('S131 S133 the reference is six characters, a preview a hundred as users count them', () => {
  expect(referenceOf('7f3a9c12-0000-4000-8000-000000000000')).toBe('7F3A9C')
  expect(previewOf('短')).toBe('短')
  expect(previewOf('😀'.repeat(101))).toBe(`${'😀'.repeat(100)}…`)
  expect(previewOf('😀'.repeat(100))).toBe('😀'.repeat(100))
  expect(Object.values(feedbackStatus)).toEqual([0, 1, 2, 3, 4, 5])
})
