import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import type { BrowserOptions, Harness, User } from '../harness/harness.ts'

/** One message of a user. It is sent again under its key until it is acknowledged. */
interface Entry {
  words: string
  key: string
  /** As it was acknowledged. */
  conversation?: string
  seq?: number
}

interface Sent {
  status: number
  data: { id: string; seq: number } | undefined
}

export interface Talker {
  role: 'user' | 'merchant'
  ledger: Entry[]
  send(entry: Entry): Promise<Sent>
}

/** Retries, lost responses and refusals. */
export interface LedgerCounts {
  acknowledged: number
  again: number
  lost: number
  refused: Record<string, number>
  /** The longest wait for an acknowledgement, in milliseconds. */
  longest: number
}

export interface Ledger {
  talkers: Talker[]
  counts: LedgerCounts
  /** Every user finishes the current message and stops. */
  stop(): Promise<void>
}

interface Options {
  users: number
  browser?: BrowserOptions
  /** How long a user waits for a response before sending again. */
  patience?: number
  /** The pause of a user before the next message: twenty of them a second meet the limit of a minute in the end. */
  pace?: number
}

/** Conversations under way, each of a user and an operator who both write into it. */
export async function beginTalks(t: Harness, site: TestSite, options: Options): Promise<Talker[]> {
  const talkers: Talker[] = []
  for (let made = 0; made < options.users; made++) {
    const user = await t.session(site, (await t.user(site, { password: undefined })).id, options.browser)
    const operator = await operatorOf(t, site, options.browser)
    const key = randomUUID()
    const first: Entry = { words: `first ${key}`, key }
    const own: Talker = { role: 'user', ledger: [first], send: (entry) => say(user, own, entry) }
    const other: Talker = {
      role: 'merchant',
      ledger: [],
      send: ({ words, key }) =>
        operator.call(replyFeedback, { id: own.ledger[0]?.conversation ?? '', message: words, key }),
    }
    talkers.push(own, other)
  }
  return talkers
}

/** The first message begins the conversation, under its key as well. */
const say = (user: User, { ledger }: Talker, { words, key }: Entry): Promise<Sent> => {
  const id = ledger[0]?.conversation
  return user.call(sendFeedback, { message: words, key, ...(id && { id }) })
}

export async function operatorOf(t: Harness, site: TestSite, browser?: BrowserOptions): Promise<User> {
  const { id } = await t.user(site, { password: undefined })
  await makeOperator(t.deps, site.id, id, ['READ', 'WRITE'], 'fault')
  return await t.session(site, id, browser)
}

async function acknowledge(talker: Talker, entry: Entry, counts: LedgerCounts, patience: number): Promise<void> {
  const begun = performance.now()
  for (let tried = 0; entry.seq === undefined; tried++) {
    if (tried > 0) {
      counts.again++
      await sleep(50)
    }
    // A longer timeout with every try: a slow machine may need more time than the first.
    const answer = await Promise.race([talker.send(entry), sleep(patience * (1 + tried / 10))]).catch(() => undefined)
    if (!answer) counts.lost++
    else if (answer.status !== 200 || !answer.data)
      counts.refused[answer.status] = (counts.refused[answer.status] ?? 0) + 1
    else Object.assign(entry, { conversation: answer.data.id, seq: answer.data.seq })
    if (tried > 2_000) throw new Error(`a message was never acknowledged: ${answer?.status}`)
  }
  counts.acknowledged++
  counts.longest = Math.max(counts.longest, performance.now() - begun)
}

/** Every user writes one message after the other until it is stopped. */
export function keepTalking(
  talkers: Talker[],
  { patience = 3_000, pace = 20 }: Pick<Options, 'patience' | 'pace'> = {},
): Ledger {
  const counts: LedgerCounts = { acknowledged: 0, again: 0, lost: 0, refused: {}, longest: 0 }
  const running = { going: true }
  async function talk(talker: Talker, beginner: Talker) {
    const [first] = talker.ledger
    if (first) await acknowledge(talker, first, counts, patience)
    while (running.going && beginner.ledger[0]?.seq === undefined) await sleep(10)
    while (running.going) {
      const key = randomUUID()
      const entry: Entry = { words: `${talker.role} ${key}`, key }
      talker.ledger.push(entry)
      await acknowledge(talker, entry, counts, patience)
      await sleep(pace)
    }
  }
  const work = Promise.all(talkers.map((talker, index) => talk(talker, talkers[index - (index % 2)] ?? talker)))
  return {
    talkers,
    counts,
    async stop() {
      running.going = false
      await work
    },
  }
}

interface Row {
  conversation: string
  seq: number
  key: string
  words: string
}

/** What the ledgers and the database don't agree on. */
export async function disagreements(t: Harness, site: TestSite, talkers: Talker[]): Promise<string[]> {
  const { rows } = await t.deps.pool.query<Row>(
    `SELECT feedback_id AS conversation, seq, client_key AS key, message AS words FROM feedback_entry
     WHERE site_id = $1 ORDER BY feedback_id, seq`,
    [site.id],
  )
  const wrong: string[] = []
  const byWords = new Map<string, Row[]>()
  for (const row of rows) byWords.set(row.words, [...(byWords.get(row.words) ?? []), row])
  for (const { ledger } of talkers) {
    for (const { words, key, conversation, seq } of ledger) {
      const found = byWords.get(words) ?? []
      const [row] = found
      if (seq === undefined) wrong.push(`${words} was never acknowledged`)
      if (found.length !== 1) wrong.push(`${words} stands there ${found.length} times`)
      if (row?.key !== key || row.seq !== seq || row.conversation !== conversation)
        wrong.push(`${words} is ${row?.conversation} ${row?.seq}, acknowledged as ${conversation} ${seq}`)
    }
    const numbers = ledger.map(({ seq = 0 }) => seq)
    if (numbers.some((seq, index) => index > 0 && seq <= (numbers[index - 1] ?? 0)))
      wrong.push(`out of order: ${numbers}`)
  }
  const asked = talkers.reduce((sum, { ledger }) => sum + ledger.length, 0)
  if (rows.length !== asked) wrong.push(`${rows.length} entries for ${asked} messages`)
  return [...wrong, ...(await gaps(t, site, talkers))]
}

/** Conversations whose entries aren't numbered from one to their last, and those that no user began. */
async function gaps(t: Harness, site: TestSite, talkers: Talker[]): Promise<string[]> {
  const { rows } = await t.deps.pool.query<{ id: string; lastSeq: number; most: number; entries: number }>(
    `SELECT f.id, f.last_seq AS "lastSeq", max(e.seq) AS most, count(*)::int AS entries
     FROM feedback f JOIN feedback_entry e ON e.site_id = f.site_id AND e.feedback_id = f.id
     WHERE f.site_id = $1 GROUP BY f.id, f.last_seq`,
    [site.id],
  )
  const begun = talkers.filter(({ role }) => role === 'user').length
  return [
    ...rows
      .filter(({ lastSeq, most, entries }) => lastSeq !== most || most !== entries)
      .map(({ id, lastSeq, most, entries }) => `${id}: ${entries} entries up to ${most}, last ${lastSeq}`),
    ...(rows.length === begun ? [] : [`${rows.length} conversations of ${begun} users`]),
  ]
}

export const summaryOf = ({ acknowledged, again, lost, refused, longest }: LedgerCounts): string =>
  `${acknowledged} messages acknowledged, ${again} sent again, ${lost} answers lost, refused ${JSON.stringify(refused)}, longest wait ${longest.toFixed(0)} ms`
