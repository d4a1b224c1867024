import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevice } from '@hufu/contract/devices'
import { eventsPath } from '@hufu/contract/events'
import { rateFeedback, replyFeedback, sendFeedback, setFeedbackStatus } from '@hufu/contract/feedback'
import { addNote, answering, removeNote } from '@hufu/contract/feedback-desk'
import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../test/test-app.ts'
import { tell } from '../core/live.ts'
import { changeSite } from '../features/site/site.service.ts'
import { changeStatus, grant } from '../features/users/users.service.ts'

let t: TestApp
let other: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  site = await t.codeSite()
  // A second process on the same stores.
  other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl, HUFU_KEYS: keysOf(t) })
  await other.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => Promise.all([t.close(), other.close()]))

const keysOf = ({ deps }: TestApp) => {
  const { current, byId } = deps.config.keys
  return `${current}:${byId.get(current)?.toString('base64')}`
}

interface Stream {
  status: number
  /** Everything heard so far that isn't a heartbeat. */
  heard: string[]
  ended: boolean
  close(): void
}

async function listen(person: TestBrowser, headers: Record<string, string> = {}, at = t): Promise<Stream> {
  const { port } = at.app.server.address() as AddressInfo
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const own = { host: site.host, cookie, 'sec-fetch-site': 'same-origin', ...headers }
  const call = request({ port, host: '127.0.0.1', path: eventsPath, headers: own })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve).once('error', reject).end()
  })
  const stream: Stream = { status: answer.statusCode ?? 0, heard: [], ended: false, close: () => call.destroy() }
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => stream.heard.push(...(text.match(/^data: .*$/gm) ?? [])))
  answer.on('close', () => {
    stream.ended = true
  })
  answer.on('error', () => {})
  return stream
}

const until = async (what: () => boolean) => {
  for (let waited = 0; waited < 3_000; waited += 20) {
    if (what()) return
    await sleep(20)
  }
  throw new Error('it never happened')
}

async function newOperator(): Promise<TestBrowser & { id: string }> {
  const person = await t.signIn(site)
  await grant(t.deps, site.id, person.id as never, 'MERCHANT', ['READ', 'WRITE'], 'test')
  return person
}

test('a message wakes its person and every operator, in every process, and nobody else; it tells no words', async () => {
  const [person, stranger, operator] = await Promise.all([t.signIn(site), t.signIn(site), newOperator()])
  const streams = {
    own: await listen(person),
    elsewhere: await listen(person, {}, other),
    stranger: await listen(stranger),
    operator: await listen(operator, {}, other),
  }
  expect(Object.values(streams).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const { data } = await person.call(sendFeedback, { message: '秘密的问题' })
  const wake = `data: ${JSON.stringify({ conversation: data?.id, seq: 1 })}`
  await until(() => [streams.own, streams.elsewhere, streams.operator].every(({ heard }) => heard.includes(wake)))
  await operator.call(replyFeedback, { id: data?.id ?? '', message: '秘密的答复' })
  await until(() => streams.own.heard.length === 2)
  expect(streams.stranger.heard).toEqual([])
  expect(JSON.stringify(streams)).not.toContain('秘密')
  for (const stream of Object.values(streams)) stream.close()
})

/** A conversation with its person, two operators and what all three hear from now on. */
async function desk() {
  const [person, operator, author] = await Promise.all([t.signIn(site), newOperator(), newOperator()])
  const id = (await person.call(sendFeedback, { message: '杯子碎了' })).data?.id ?? ''
  const own = (await author.call(sendFeedback, { message: '我也有问题' })).data?.id ?? ''
  await sleep(200)
  const heard = { person: await listen(person), operator: await listen(operator, {}, other) }
  return { person, operator, author, id, own, heard }
}

const toldKey = (id: string, author: { id: string }) => `{answering:${site.id}:${id}}:told:${author.id}`
/** As if it had been told more than two seconds ago. */
const pause = (id: string, author: { id: string }) => t.deps.redis.del(toldKey(id, author))

test('a note and its removal wake operators, in every process, and the person hears nothing of it', async () => {
  const { operator, author, id, own, heard } = await desk()
  const noted = await author.call(addNote, { id, text: '只给同事看', key: randomUUID() })
  await until(() => heard.operator.heard.length === 1)
  await author.call(removeNote, { id, note: noted.data?.id ?? '' })
  await until(() => heard.operator.heard.length === 2)
  expect(new Set(heard.operator.heard)).toEqual(
    new Set([`data: ${JSON.stringify({ conversation: id, seq: 1, desk: true })}`]),
  )
  // To somebody who reads as an operator their own conversation is one like any other.
  const reading = await listen(author)
  await operator.call(addNote, { id: own, text: '同事的问题', key: randomUUID() })
  await until(() => reading.heard.length === 1)
  await sleep(200)
  expect(heard.person.heard).toEqual([])
  for (const stream of [...Object.values(heard), reading]) stream.close()
})

test('operators are woken when somebody begins to write and when they stop, not at every beat', async () => {
  const { author, id, heard } = await desk()
  for (const writing of [true, true, true]) await author.call(answering, { id, writing })
  await until(() => heard.operator.heard.length === 1)
  await pause(id, author)
  for (const writing of [false, false]) await author.call(answering, { id, writing })
  await until(() => heard.operator.heard.length === 2)
  await sleep(200)
  expect(heard.operator.heard).toEqual(
    times(2, () => `data: ${JSON.stringify({ conversation: id, seq: 1, desk: true })}`),
  )
  expect(heard.person.heard).toEqual([])
  for (const stream of Object.values(heard)) stream.close()
})

test('somebody who begins and stops all the time wakes the others once in two seconds, and nobody else any less', async () => {
  const { operator, author, id, heard } = await desk()
  for (const writing of [true, false, true, false, true]) await author.call(answering, { id, writing })
  await Promise.all(times(6, (index) => author.call(answering, { id, writing: index % 2 === 1 })))
  await until(() => heard.operator.heard.length === 1)
  expect(await t.deps.redis.pttl(toldKey(id, author))).toBeGreaterThan(0)
  expect(await t.deps.redis.pttl(toldKey(id, author))).toBeLessThanOrEqual(2_000)
  await operator.call(answering, { id, writing: true })
  await until(() => heard.operator.heard.length === 2)
  await sleep(200)
  expect(heard.operator.heard).toHaveLength(2)
  for (const stream of Object.values(heard)) stream.close()
})

test('what concerns operators alone is told to nobody else, not even to whoever did it and reads no longer', async () => {
  const { person, id, heard } = await desk()
  await tell(t.deps.cache, { site: site.id, user: person.id as never, conversation: id, seq: 1, desk: true })
  await until(() => heard.operator.heard.length === 1)
  await sleep(200)
  expect(heard.person.heard).toEqual([])
  for (const stream of Object.values(heard)) stream.close()
})

test('a rating wakes like a message', async () => {
  const { person, author, id, heard } = await desk()
  await person.call(sendFeedback, { id, message: '在吗' })
  await author.call(replyFeedback, { id, message: '在的' })
  await author.call(setFeedbackStatus, { id, status: 4 })
  await until(() => heard.operator.heard.length === 3 && heard.person.heard.length === 3)
  await person.call(rateFeedback, { id, score: 5 })
  await until(() => heard.operator.heard.length === 4 && heard.person.heard.length === 4)
  // Wake-ups of the same moment come in any order; a rating adds no entry, so it tells the last number again.
  const [rated, ...before] = heard.operator.heard.toReversed()
  expect(rated).toBe(before.toSorted().at(-1))
  for (const stream of Object.values(heard)) stream.close()
})

test('nobody without a session listens, and no other site makes a browser listen', async () => {
  expect((await listen(t.browser(site))).status).toBe(401)
  const person = await t.signIn(site)
  expect((await listen(person, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  await person.call(logout)
  expect((await listen(person)).status).toBe(401)
})

test('a stream ends with its session, wherever that is ended, and stays with another', async () => {
  const person = await t.signIn(site)
  await t.passMinute(site, `+86${person.mobile}`)
  const second = await t.signIn(site, { mobile: person.mobile })
  const first = await listen(person, {}, other)
  const stays = await listen(second)
  await second.call(removeDevice, { id: sessionOf(person) })
  await until(() => first.ended)
  expect(stays.ended).toBe(false)
  await changeStatus(t.deps, site.id, second.id as never, 'disabled', 'test')
  await until(() => stays.ended)
})

test('a site that is disabled has no streams any more', async () => {
  const closing = await t.codeSite()
  const person = await t.signIn(closing)
  const { port } = t.app.server.address() as AddressInfo
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: closing.host, cookie, 'sec-fetch-site': 'same-origin' }
  let ended = false
  const call = request({ port, host: '127.0.0.1', path: eventsPath, headers }, (answer) => {
    answer.resume().on('close', () => {
      ended = true
    })
  })
  call.end()
  await sleep(200)
  expect(ended).toBe(false)
  await changeSite(t.deps, closing.id, { status: 'disabled' }, 'test')
  await until(() => ended)
})

test('an operator who is granted or loses the right hears accordingly, without a new stream', async () => {
  const [person, colleague] = await Promise.all([t.signIn(site), t.signIn(site)])
  const stream = await listen(colleague)
  await person.call(sendFeedback, { message: '第一条' })
  await grant(t.deps, site.id, colleague.id as never, 'MERCHANT', ['READ'], 'test')
  await sleep(200)
  await person.call(sendFeedback, { message: '第二条' })
  await until(() => stream.heard.length === 1)
  stream.close()
})

test('a person has at most thirty streams, and those that are gone leave room', async () => {
  const person = await t.signIn(site)
  const streams = await Promise.all(times(30, () => listen(person)))
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  expect((await listen(person)).status).toBe(503)
  for (const stream of streams) stream.close()
  await sleep(200)
  const again = await listen(person)
  expect(again.status).toBe(200)
  again.close()
})

test('open streams are no calls in progress', async () => {
  const person = await t.signIn(site)
  const stream = await listen(person)
  await until(() => t.app.idle())
  stream.close()
  await sleep(100)
  expect(t.app.idle()).toBe(true)
})
