import { randomUUID } from 'node:crypto'
import {
  addPicture,
  addReplyPicture,
  confirmFeedback,
  type FeedbackEntry,
  rateFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
  setFeedbackStatus,
} from '@hufu/contract/feedback'
import { addNote, listNotes, removeNote } from '@hufu/contract/feedback-desk'
import {
  afterMove,
  type FeedbackFacts,
  type FeedbackMove,
  feedbackPicturePath,
  merchantMoves,
  nextStatus,
} from '@hufu/contract/feedback-rules'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf, type Role } from '../harness/callers.ts'
import { type Browser, few, type Harness, openHarness } from '../harness/harness.ts'
import { random } from '../harness/walks.ts'
import { dataOf, photo, upload } from './uploads.ts'

let t: Harness
let site: TestSite
let file: Buffer
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  file = await photo()
})
afterAll(() => t.close())

interface Actor {
  browser: Browser
  id: string
  /** What of the back-office is open to them. */
  reads: boolean
  writes: boolean
}

interface Talk {
  id: string
  owner: Actor
  facts: FeedbackFacts
  pictures: string[]
  score?: number | undefined
  notes: { id: string; author: Actor; gone: boolean }[]
}

/** The expected state of everything, derived only from the steps taken. */
interface Model {
  users: Actor[]
  actors: Actor[]
  talks: Talk[]
  pictures: { id: string; author: Actor; talk?: Talk }[]
  log: string[]
  counts: Record<string, number>
}

interface Turn {
  pick: (below: number) => number
  actor: Actor
  talk: Talk
}

const oneOf = <Value>(values: readonly Value[], pick: Turn['pick']): Value | undefined => values[pick(values.length)]

/** Compares a response with the expected one; returns whether it was accepted. */
function settle({ log, counts }: Model, code: string | undefined, wanted: string | undefined): boolean {
  expect(code, log.join(' ')).toBe(wanted)
  const outcome = wanted ?? 'done'
  counts[outcome] = (counts[outcome] ?? 0) + 1
  return wanted === undefined
}

/** A picture that the message names, of any user and in any conversation; often none. */
const named = ({ pictures }: Model, { pick }: Turn) => (pick(2) === 0 ? undefined : oneOf(pictures, pick))

type Named = Model['pictures'][number] | undefined

/** One message, by whichever side: words, and the picture if one is named. */
async function say(model: Model, turn: Turn, move: 'userSends' | 'merchantReplies', picture: Named) {
  const { actor, talk } = turn
  const said = { id: talk.id, message: '话', ...(picture && { pictures: [picture.id] }) }
  const { code } = await actor.browser.call(move === 'userSends' ? sendFeedback : replyFeedback, said)
  const status = nextStatus(talk.facts, move)
  const own = !picture || (picture.author === actor && !picture.talk)
  const refused = status === undefined ? 'FEEDBACK_CLOSED' : own ? undefined : 'PICTURE_GONE'
  const allowed = move === 'userSends' ? actor === talk.owner : actor.writes
  const shut = move === 'userSends' ? 'NOT_FOUND' : 'FORBIDDEN'
  if (!settle(model, code, allowed ? refused : shut) || status === undefined) return
  talk.facts = afterMove(talk.facts, move, status)
  if (picture) picture.talk = talk
  if (picture) talk.pictures.push(picture.id)
}

async function change(model: Model, { talk }: Turn, move: FeedbackMove | undefined, code: string | undefined) {
  const status = move && nextStatus(talk.facts, move)
  if (!settle(model, code, status === undefined ? 'FEEDBACK_STATUS_CONFLICT' : undefined)) return
  if (move && status !== undefined) talk.facts = afterMove(talk.facts, move, status)
}

const steps: Record<string, (model: Model, turn: Turn) => Promise<void>> = {
  async handOver({ pictures }, { actor }) {
    const reply = await upload(site, actor.browser, actor.writes ? addReplyPicture : addPicture, file)
    pictures.push({ id: dataOf<{ id: string }>(reply).id, author: actor })
  },
  send: (model, turn) => say(model, turn, 'userSends', named(model, turn)),
  reply: (model, turn) => say(model, turn, 'merchantReplies', named(model, turn)),
  async status(model, turn) {
    const { actor, talk, pick } = turn
    const status = pick(6)
    const { code } = await actor.browser.call(setFeedbackStatus, { id: talk.id, status })
    if (!actor.writes) settle(model, code, 'FORBIDDEN')
    else await change(model, turn, merchantMoves[status], code)
  },
  async confirm(model, turn) {
    const { actor, talk } = turn
    const { code } = await actor.browser.call(confirmFeedback, { id: talk.id })
    if (actor !== talk.owner) settle(model, code, 'NOT_FOUND')
    else await change(model, turn, 'userConfirms', code)
  },
  async rate(model, { actor, talk, pick }) {
    const score = 1 + pick(5)
    const { code } = await actor.browser.call(rateFeedback, { id: talk.id, score, words: '好' })
    const refused = talk.facts.status === 4 ? undefined : 'FEEDBACK_STATUS_CONFLICT'
    if (settle(model, code, actor === talk.owner ? refused : 'NOT_FOUND')) talk.score = score
  },
  async note(model, { actor, talk }) {
    const id = randomUUID()
    const { code } = await actor.browser.call(addNote, { id: talk.id, text: '内部', key: id })
    if (settle(model, code, actor.writes ? undefined : 'FORBIDDEN')) talk.notes.push({ id, author: actor, gone: false })
  },
  async unnote(model, { actor, talk, pick }) {
    const note = oneOf(talk.notes, pick)
    if (!note) return
    const { code } = await actor.browser.call(removeNote, { id: talk.id, note: note.id })
    const refused = note.gone ? 'NOT_FOUND' : note.author === actor ? undefined : 'FORBIDDEN'
    if (settle(model, code, actor.writes ? refused : 'FORBIDDEN')) note.gone = true
  },
  async look(model, { actor, pick }) {
    const picture = oneOf(model.pictures, pick)
    if (!picture) return
    const { code } = await actor.browser.get(feedbackPicturePath(picture.id))
    const { talk, author } = picture
    settle(model, code, (talk ? actor.reads || actor === talk.owner : actor === author) ? undefined : 'NOT_FOUND')
  },
}

/** In the end every conversation is as the model says. */
async function compare({ talks, actors, log }: Model): Promise<void> {
  const operator = actors.find(({ writes }) => writes)
  for (const { id, facts, score, pictures, notes } of talks) {
    const { data } = await (operator as Actor).browser.call(readMerchantFeedback, { id })
    const entries = JSON.parse(data?.content ?? '[]') as FeedbackEntry[]
    const shown = entries.flatMap((entry) => entry.pictures?.map((picture) => picture.id) ?? [])
    expect([data?.status, data?.rating?.score, shown], log.join(' ')).toEqual([facts.status, score, pictures])
    const kept = await (operator as Actor).browser.call(listNotes, { id })
    const living = notes.filter(({ gone }) => !gone).map((note) => note.id)
    expect(
      kept.data?.map((note) => note.id),
      log.join(' '),
    ).toEqual(living)
  }
}

async function actorOf(role: Role): Promise<Actor> {
  const { id = '', ...browser } = await callerOf(t, role, site)
  return { browser, id, reads: role !== 'user', writes: role === 'merchantWrite' }
}

async function begin(owner: Actor): Promise<Talk> {
  const { data } = await owner.browser.call(sendFeedback, { message: '开始' })
  const facts = { status: 0, offered: false, userTexts: 1, merchantTexts: 0 } as const
  return { id: data?.id ?? '', owner, facts, pictures: [], notes: [] }
}

async function walk(seed: number, length: number, counts: Record<string, number>): Promise<void> {
  const pick = random(seed)
  const users = [await actorOf('user'), await actorOf('user')]
  const actors = [
    ...users,
    await actorOf('merchantWrite'),
    await actorOf('merchantWrite'),
    await actorOf('merchantRead'),
  ]
  const talks = await Promise.all(users.map(begin))
  const model: Model = { users, actors, talks, pictures: [], log: [`seed ${seed}:`], counts }
  // The valid order is tried often enough to be reached, invalid orders far more often.
  const names = [...Object.keys(steps), 'handOver', 'send', 'reply', 'status', 'status', 'rate', 'rate']
  for (let step = 0; step < length; step++) {
    const name = names[pick(names.length)] as string
    const [who, which] = [pick(actors.length), pick(talks.length)]
    model.log.push(`${name}${who}${which}`)
    await steps[name]?.(model, { pick, actor: actors[who] as Actor, talk: talks[which] as Talk })
  }
  await compare(model)
}

const length = 40

test('A14 in no order is a picture taken up twice or by others, an open conversation rated, or a note of others removed', async () => {
  const seeds = Array.from({ length: few(200, 8) }, (_, index) => index + 1)
  const counts: Record<string, number> = {}
  for (let from = 0; from < seeds.length; from += 8)
    await Promise.all(seeds.slice(from, from + 8).map((seed) => walk(seed, length, counts)))
  console.log(`A14 conversation: ${seeds.length} walks of ${length} steps: ${JSON.stringify(counts)}`)
  for (const outcome of ['done', 'FORBIDDEN', 'NOT_FOUND', 'PICTURE_GONE', 'FEEDBACK_STATUS_CONFLICT'])
    expect(counts[outcome], outcome).toBeGreaterThan(0)
  figure('conversation: walks that went as the model says', seeds.length, ['=', seeds.length])
})
