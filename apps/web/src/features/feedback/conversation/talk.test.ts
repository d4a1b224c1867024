import type { FeedbackItem } from '@hufu/contract/feedback'
import { expect, test } from 'vitest'
import { hasOlder, joinTalks, knownUpTo, talkOf } from './talk.ts'

const item = (seqs: number[], lastSeq: number, status = 0): FeedbackItem => ({
  id: 'f',
  status,
  mobile: null,
  time: 0,
  content: JSON.stringify(seqs.map((seq) => ({ seq, role: 'user', message: `${seq}`, time: seq }))),
  more: false,
  lastSeq,
  waitingSince: null,
  unread: false,
  offered: false,
  userTexts: 0,
  merchantTexts: 0,
  rating: null,
})
const talk = (seqs: number[], lastSeq: number, status?: number) => talkOf(item(seqs, lastSeq, status))
const seqs = ({ entries }: { entries: { seq: number }[] }) => entries.map(({ seq }) => seq)

test('what came twice is there once, in order', () => {
  expect(seqs(joinTalks(talk([2, 3], 3), talk([3, 4, 5], 5)))).toEqual([2, 3, 4, 5])
  expect(seqs(joinTalks(talk([4, 5], 5), talk([1, 2, 3], 5)))).toEqual([1, 2, 3, 4, 5])
})
test('how it stands is told by the answer that knows more entries, whichever came last', () => {
  expect(joinTalks(talk([1, 2, 3], 3, 2), talk([1], 1, 0)).status).toBe(2)
  expect(joinTalks(talk([1], 1, 0), talk([2, 3], 3, 2)).status).toBe(2)
})
test('an answer that holds fewer entries than there are leaves the rest to be asked for', () => {
  const known = joinTalks(talk([1], 1), talk([2, 3], 9))
  expect([knownUpTo(known), known.lastSeq]).toEqual([3, 9])
})
test('there is something older unless the first entry is known', () => {
  expect([hasOlder(talk([1, 2], 2)), hasOlder(talk([2, 3], 3)), hasOlder(talk([], 0))]).toEqual([false, true, false])
})
