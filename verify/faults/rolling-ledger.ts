import { randomUUID } from 'node:crypto'
import { listDevices } from '@hufu/contract/devices'
import { listFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loginByPassword } from '@hufu/contract/login'
import { changePreference, userInfo } from '@hufu/contract/profile'
import { createScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { type BrowserOptions, type Harness, password, type User } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { check, showCode, type Waiting } from '../harness/scan.ts'
import type { Kind } from './rolling-load.ts'

interface Writer extends User {
  conversation: string
  /** Messages by their keys, and whether they were acknowledged. */
  messages: Map<string, boolean>
  /** What was set last and acknowledged, and what was asked for since. */
  languages: string[]
  choosing: boolean
}

interface Signer {
  id: User['id']
  username: string
  asked: number
  acknowledged: number
}

export interface Ledger {
  kinds: Kind[]
  users: User[]
  /** Of messages that are acknowledged by now. */
  acknowledgedKeys(): string[]
  compare(): Promise<{ acknowledged: number; lost: number; doubled: number }>
}

const unset = { dark: null, fontSize: null, region: null, language: null }

async function writer(t: Harness, site: TestSite, through: BrowserOptions): Promise<Writer> {
  // Through the public calls: a former version serves them on its own tables.
  const user = await t.signIn(site, through)
  const key = randomUUID()
  const { data } = await user.call(sendFeedback, { message: '第一条', key })
  if (!data) throw new Error('no conversation was begun')
  return { ...user, conversation: data.id, messages: new Map([[key, true]]), languages: [], choosing: false }
}

async function say({ conversation: id, messages, call }: Writer) {
  const key = randomUUID()
  messages.set(key, false)
  const answer = await call(sendFeedback, { id, message: '还在吗？', key })
  messages.set(key, answer.status === 200)
  return answer
}

/** A user without a pending change: of two concurrent changes either may be the last. */
async function prefer(writers: Writer[]) {
  const user = writers.find(({ choosing }) => !choosing)
  if (!user) throw new Error('all users have a pending change')
  const language = `x-${randomUUID().slice(0, 8)}`
  user.languages.push(language)
  user.choosing = true
  // A user who has changed the preference goes to the end of the queue.
  writers.push(...writers.splice(writers.indexOf(user), 1))
  const answer = await user.call(changePreference, { ...unset, language }).finally(() => {
    user.choosing = false
  })
  if (answer.status === 200) user.languages = [language]
  return answer
}

async function signIn(t: Harness, site: TestSite, signer: Signer, through: BrowserOptions) {
  signer.asked++
  const answer = await t.browser(site, through).call(loginByPassword, { account: signer.username, password })
  if (answer.status === 200) signer.acknowledged++
  return answer
}

/** The next of many, by turns. */
function byTurns<Value>(values: Value[]): () => Value {
  let turn = 0
  return () => values[turn++ % values.length] as Value
}

async function compare(t: Harness, site: TestSite, writers: Writer[], signers: Signer[]) {
  const counts = { acknowledged: 0, lost: 0, doubled: 0 }
  const { rows } = await t.deps.pool.query<{ key: string; n: number }>(
    'SELECT client_key AS key, count(*)::int AS n FROM feedback_entry WHERE site_id = $1 GROUP BY 1',
    [site.id],
  )
  const written = new Map(rows.map(({ key, n }) => [key, n]))
  for (const { id, messages, languages } of writers) {
    for (const [key, acknowledged] of messages) {
      const found = written.get(key) ?? 0
      if (acknowledged) counts.acknowledged++
      if (acknowledged && found === 0) counts.lost++
      if (found > 1) counts.doubled++
    }
    const user = await t.deps.pool.query('SELECT preference FROM users WHERE site_id = $1 AND id = $2', [site.id, id])
    if (languages.length > 0 && !languages.includes(user.rows[0].preference.language)) counts.lost++
  }
  for (const { id, asked, acknowledged } of signers) {
    const { rows } = await t.deps.pool.query(
      'SELECT count(*)::int AS n FROM session WHERE site_id = $1 AND user_id = $2',
      [site.id, id],
    )
    counts.acknowledged += acknowledged
    counts.lost += Math.max(0, acknowledged - rows[0].n)
    counts.doubled += Math.max(0, rows[0].n - asked)
  }
  return counts
}

/** Reads, polls and writes of many users; of what is written a ledger is kept. */
export async function openLedger(t: Harness, site: TestSite, through: BrowserOptions): Promise<Ledger> {
  const writers = await together(40, 4, () => writer(t, site, through))
  const signers = await together(10, 2, async (): Promise<Signer> => {
    const { id, username } = await t.user(site)
    return { id, username, asked: 0, acknowledged: 0 }
  })
  const waiting: Pick<Waiting, 'browser' | 'request'>[] = await together(20, 4, () => showCode(t, site, through))
  const stranger = t.browser(site, through)
  const [nextWriter, talker, signer] = [byTurns(writers), byTurns(writers), byTurns(signers)]
  const choosers = [...writers]
  /** Codes are shown for minutes only: pages come and go. */
  async function newPage() {
    const page = t.browser(site, through)
    const answer = await page.call(createScanRequest)
    const { data } = answer
    if (data) {
      waiting.shift()
      waiting.push({ browser: page, request: { id: data.id, time: data.time, ip: data.ip } })
    }
    return answer
  }
  let polled = 0
  const kind = (name: string, weight: number, call: Kind['call']): Kind => ({ name, weight, call })
  return {
    users: writers,
    acknowledgedKeys: () =>
      writers.flatMap(({ messages }) => [...messages].filter(([, yes]) => yes).map(([key]) => key)),
    compare: () => compare(t, site, writers, signers),
    kinds: [
      kind('meta', 10, () => stranger.call(meta)),
      kind('info', 40, () => nextWriter().call(userInfo)),
      kind('devices', 6, () => nextWriter().call(listDevices, { top: 20, skip: 0 })),
      kind('conversations', 6, () => nextWriter().call(listFeedback, { brief: true })),
      kind('say', 14, () => say(talker())),
      kind('preference', 8, () => prefer(choosers)),
      kind('sign in', 1, () => signIn(t, site, signer(), through)),
      kind('poll', 13, () => check(waiting[polled++ % waiting.length] as Waiting)),
      kind('code', 2, newPage),
    ],
  }
}
