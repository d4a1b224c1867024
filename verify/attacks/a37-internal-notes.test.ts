import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { Endpoint } from '@hufu/contract/endpoint'
import { confirmFeedback, replyFeedback, sendFeedback, setFeedbackStatus } from '@hufu/contract/feedback'
import { addNote, listNotes } from '@hufu/contract/feedback-desk'
import { feedbackPicturePath, referenceOf } from '@hufu/contract/feedback-rules'
import { exportFilePath } from '@hufu/contract/merchant-rights'
import { exportUsers } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { exportData } from '@hufu/contract/personal-data'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { userInfo } from '@hufu/contract/profile'
import { wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import { fresh, messagesTo, type TestSite } from '../../apps/server/test/test-app.ts'
import { unzip } from '../../apps/server/test/unzip.ts'
import { newWechat, returnFromWechat } from '../../apps/server/test/wechat-phone.ts'
import { demoSms } from '../../tools/simulators/demo-gateways.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, type Harness, nextUrl, type User } from '../harness/harness.ts'
import { openStream } from '../harness/stream.ts'
import { allEndpoints, bodyFor } from './samples.ts'
import { startWithWorker, type WithWorker } from './with-worker.ts'

/** One of those that the simulated account has. */
const template = {
  templateId: 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s',
  fields: { character_string1: 'reference', thing2: 'reply', time3: 'time' },
} as const

let product: WithWorker
let t: Harness
let site: TestSite
let operator: User
const operatorsInbox = fresh.email()
beforeAll(async () => {
  product = await startWithWorker()
  ;({ t } = product)
  const [gateway] = demoSms.gateways
  if (!gateway) throw new Error('no gateway')
  const texts = { ...gateway, templates: { ...gateway.templates, feedback: gateway.templates.notice } }
  site = await t.codeSite({
    wechat: await newWechat(),
    sms: { gateways: [texts] },
    notices: { feedback: { ways: ['wechat', 'mail', 'sms'], wechat: template, operators: [operatorsInbox] } },
  })
  operator = (await callerOf(t, 'merchantAdmin', site)) as User
})
afterAll(() => product?.stop())

/** Signs between two of these, at random. */
const signs = (count: number, first: number, last: number) =>
  String.fromCodePoint(...Array.from({ length: count }, () => randomInt(first, last + 1)))
/** No hexadecimal digit among the letters: an id never holds them by chance. Short enough for what is cut to twenty signs. */
const letters = () => signs(8, 0x67, 0x7a)
const rare = () => signs(4, 0x5000, 0x9000)
/** Words that stand nowhere else, with what pages and mails would escape. */
const pieces = [letters(), letters(), rare(), rare()]
const mark = `${pieces[0]}<${pieces[2]}&"${pieces[3]}'\n${pieces[1]}`

/** A text inside Base64, wherever it begins there. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const all = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const own = all.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6))
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** In every encoding in which it may appear. */
function spellings(text: string): string[] {
  const bytes = Buffer.from(text)
  const percent = bytes.toString('hex').replace(/../g, (pair) => `%${pair.toUpperCase()}`)
  const units = [...text].map((sign) => sign.charCodeAt(0).toString(16).padStart(4, '0'))
  const escaped = [
    encodeURIComponent(text),
    percent,
    percent.replaceAll('%', '='),
    bytes.toString('latin1'),
    bytes.toString('hex'),
    units.map((unit) => `\\u${unit}`).join(''),
    [...text].map((sign) => `&#${sign.charCodeAt(0)};`).join(''),
  ]
  return [text, ...escaped, ...escaped.map((each) => each.toLowerCase()), ...inBase64(bytes)]
}

/** What is looked for: the note as a whole, every piece of it, and its key. */
const wanted = new Set([mark, ...pieces].flatMap(spellings))
const holds = (text: string) => [...wanted].find((spelling) => text.includes(spelling))

test('A37 the search finds a note in every encoding', () => {
  const text = `before ${mark} after`
  for (const encoded of [
    text,
    JSON.stringify({ text }),
    encodeURIComponent(text),
    Buffer.from(text).toString('base64'),
    Buffer.from(`x${text}`).toString('base64url'),
    Buffer.from(text).toString('hex'),
    JSON.stringify(pieces[2]).replace(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`),
    `${text.slice(0, 25)}…`,
  ])
    expect(holds(encoded), encoded).toBeDefined()
  expect(holds('备注 feedback_note 0123456789abcdef')).toBeUndefined()
})

/** Steps along the table to every status. */
async function bringTo(user: Browser, status: number): Promise<string> {
  const id = (await user.call(sendFeedback, { message: '杯子碎了' })).data?.id ?? ''
  if (status === 1) await operator.call(setFeedbackStatus, { id, status })
  if (status > 1) await operator.call(replyFeedback, { id, message: '已为您补寄' })
  if (status === 3 || status === 4) await operator.call(setFeedbackStatus, { id, status: 3 })
  if (status === 4) await user.call(confirmFeedback, { id })
  if (status === 5) await operator.call(setFeedbackStatus, { id, status })
  return id
}

interface Author {
  id: UserId
  browser: User
  /** Where notices reach them. */
  reached: string
  conversations: string[]
}

async function author(names: object, reach: (made: User, names: { mobile: string; email: string }) => Promise<string>) {
  const made = await t.user(site, { password: undefined, ...names })
  const browser = await t.session(site, made.id)
  const reached = await reach(browser, made)
  const conversations: string[] = []
  for (const status of [0, 1, 2, 3, 4, 5]) conversations.push(await bringTo(browser, status))
  return { id: made.id, browser, reached, conversations } satisfies Author
}

async function bindWechat(user: User): Promise<string> {
  const { data: ticket } = await user.call(wechatTicket)
  const away = (await user.get(`/api/user/wechat/binding?ticket=${ticket}`)).headers.location ?? ''
  const back = await returnFromWechat(away, 'lin')
  await user.get(back.pathname + back.search, { 'sec-fetch-site': 'cross-site' })
  return (await user.call(userInfo)).data?.wechatOpenId ?? ''
}

/** One for each way a notice can take. */
const authors = async () => [
  await author({}, async (_, { email }) => email),
  await author({ email: undefined }, async (_, { mobile }) => mobile),
  await author({ email: undefined }, bindWechat),
]

/** A new session of the user, as checked as one can be. */
async function session(id: UserId): Promise<User> {
  const user = await t.session(site, id)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now(), second_at = now() WHERE user_id = $1', [id])
  return user
}

/** Everything that users and visitors received, with its source. */
const outputs: [what: string, text: string][] = []

async function record(what: string, { status, headers, body }: Awaited<ReturnType<Browser['get']>>): Promise<void> {
  outputs.push([`${what} ${status}`, `${body} ${JSON.stringify(headers)}`])
}

/** What a call takes, as it stands in the contract and about each of these conversations. */
function bodiesOf(endpoint: Endpoint, conversations: string[]): ReturnType<typeof bodyFor>[] {
  const sample = bodyFor(endpoint)
  if (endpoint.upload) return [sample]
  const given = JSON.parse(sample.body) as Record<string, unknown>
  const about = 'id' in given ? conversations : []
  const { before: _, after: __, ...whole } = given
  return [
    sample,
    { body: '{}', headers: {} },
    ...about.map((id) => ({ ...sample, body: JSON.stringify({ ...whole, id }) })),
  ]
}

async function everyCall({ id, conversations }: Author): Promise<void> {
  for (const endpoint of allEndpoints) {
    const callers = { user: await session(id), visitor: t.browser(site) }
    for (const { body, headers } of bodiesOf(endpoint, conversations))
      for (const [who, caller] of Object.entries(callers))
        await record(`${who} at ${endpoint.path}`, await caller.post(endpoint.path, body, headers))
  }
}

async function everyAddress({ id, conversations }: Author): Promise<void> {
  const callers = { user: await session(id), visitor: t.browser(site) }
  const files = conversations.flatMap((each) => [
    feedbackPicturePath(each),
    `${dataFilePath}?id=${each}`,
    `${exportFilePath}?id=${each}`,
    `/api/avatar?id=${each}`,
    `${pages.userFeedback}/${each}`,
    `${pages.merchantFeedback}/${each}`,
  ])
  // A stream has no end; here every attempt to open one is refused.
  for (const path of ['/', '/api/openapi.json', '/api/events', ...files])
    for (const [who, caller] of Object.entries(callers))
      if (path !== '/api/events' || who === 'visitor') await record(`${who} at ${path}`, await caller.get(path))
}

const until = async (what: string, done: () => Promise<boolean>) => {
  for (let waited = 0; waited < 60_000; waited += 250) {
    if (await done()) return
    await sleep(250)
  }
  throw new Error(`${what}: it never happened`)
}

/** The minute for which notices wait is over. */
async function everyNotice(users: Author[]): Promise<void> {
  const due = "UPDATE pgboss.job SET start_after = now() WHERE data ->> 'siteId' = $1 AND state < 'active'"
  const expected = [...users, { reached: operatorsInbox, conversations: users.flatMap((each) => each.conversations) }]
  await until('notices', async () => {
    await t.deps.pool.query(due, [site.id])
    const { rows } = await t.deps.pool.query(
      "SELECT FROM pgboss.job WHERE data ->> 'siteId' = $1 AND state < 'completed'",
      [site.id],
    )
    const arrived = await Promise.all(
      expected.map(async ({ reached, conversations }) => {
        const box = JSON.stringify(await messagesTo(reached))
        return conversations.some((id) => box.includes(referenceOf(id)))
      }),
    )
    return rows.length === 0 && !arrived.includes(false)
  })
  const all = await (await fetch(`${inject('inboxUrl')}/api/messages`)).text()
  outputs.push(['what was mailed, texted and sent by WeChat', all])
}

async function everyFile({ id }: Author): Promise<void> {
  const archive = (await (await session(id)).call(exportData)).data?.id ?? ''
  const list = (await operator.call(exportUsers, {})).data?.id ?? ''
  const read = async (query: string, ...values: string[]) => (await t.deps.pool.query(query, values)).rows
  const done = "SELECT FROM data_export WHERE id = $1 AND status = 'done'"
  await until('an archive', async () => (await read(done, archive)).length === 1)
  await until(
    'a list',
    async () => (await read("SELECT FROM user_export WHERE id = $1 AND status = 'done'", list)).length === 1,
  )
  const [kept] = await read('SELECT bytes FROM blob WHERE id = $1', archive)
  for (const [name, bytes] of unzip(kept.bytes)) outputs.push([`the archive's ${name}`, bytes.toString()])
  const parts = await read('SELECT bytes FROM user_export_part WHERE export_id = $1', list)
  expect(parts.length).toBeGreaterThan(0)
  for (const { bytes } of parts) outputs.push(['the list of users', gunzipSync(bytes).toString()])
}

/** Tables of the site, but the notes' own, that hold any of it. */
async function tablesWithNotes(): Promise<string[]> {
  const { pool } = t.deps
  const { rows } = await pool.query(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'site_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> 'feedback_note'`,
  )
  const places = [...rows.map(({ name }) => [name, 'site_id::text']), ['pgboss.job', "data ->> 'siteId'"]]
  const found = places.map(async ([name, whose]) => {
    const query = `SELECT FROM ${name} r WHERE ${whose} = $1 AND r::text LIKE ANY ($2) LIMIT 1`
    return (await pool.query(query, [site.id, pieces.map((piece) => `%${piece}%`)])).rows.length > 0 ? [name] : []
  })
  return (await Promise.all(found)).flat()
}

async function logs(): Promise<void> {
  await sleep(1_500)
  for (const [name, text] of product.logs()) outputs.push([`the log of ${name}`, text])
}

/** Notes on every conversation; the streams of users receive nothing meanwhile. */
async function plant(users: Author[]): Promise<string[]> {
  await sleep(300)
  const own = await Promise.all(users.map(({ browser }) => openStream(site, browser, nextUrl(product.urls))))
  const operators = await openStream(site, operator, nextUrl(product.urls))
  const notes: string[] = []
  for (const id of users.flatMap(({ conversations }) => conversations)) {
    const { data } = await operator.call(addNote, { id, text: mark, key: randomUUID() })
    expect(data?.text).toBe(mark)
    notes.push(data?.id ?? '')
    expect(holds((await operator.call(listNotes, { id })).body), 'an operator reads it').toBeDefined()
  }
  await expect.poll(() => operators.received.length).toBe(notes.length)
  await sleep(500)
  for (const stream of own) {
    expect([stream.status, stream.received]).toEqual([200, []])
    outputs.push(['the stream of a user', stream.text])
  }
  for (const stream of [...own, operators]) stream.close()
  return notes
}

test('A37 notes of operators are shown to operators only: no call, page, stream, notice, archive, list or log has a word of it', {
  timeout: 400_000,
}, async () => {
  const users = await authors()
  const notes = await plant(users)
  for (const note of notes) wanted.add(note)
  await everyNotice(users)
  for (const user of users) await everyAddress(user)
  for (const user of users) await everyFile(user)
  for (const user of users) await everyCall(user)
  await logs()
  const leaks = outputs.flatMap(([what, text]) => {
    const found = holds(text)
    return found === undefined ? [] : [`${what}: ${found}`]
  })
  for (const line of leaks.slice(0, 20)) console.log(`A37: ${line}`)
  figure('answers, mails, files and logs searched for notes', outputs.length, [
    '>=',
    allEndpoints.length * users.length * 2,
  ])
  figure('of them with a word of one', leaks.length, ['=', 0])
  figure('other tables with a word of one', (await tablesWithNotes()).length, ['=', 0])
})
