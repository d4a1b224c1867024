import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { removeDevice } from '@hufu/contract/devices'
import { eventsPath } from '@hufu/contract/events'
import { rateFeedback, replyFeedback, sendFeedback, setFeedbackStatus } from '@hufu/contract/feedback'
import { addNote, answering, removeNote } from '@hufu/contract/feedback-desk'
import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOperator } from '../../test/enrolled.ts'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../test/test-app.ts'
import { changeSite } from '../features/site/site.service.ts'
import { changeStatus, grant } from '../features/users/users.service.ts'
import { publish } from '../platform/redis/live-events.ts'

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
  /** All events received so far, without heartbeats. */
  heard: string[]
  ended: boolean
  close(): void
}

async function listen(user: TestBrowser, headers: Record<string, string> = {}, at = t): Promise<Stream> {
  const { port } = at.app.server.address() as AddressInfo
  const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
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

const until = (what: () => boolean) => expect.poll(what, { timeout: 20_000, interval: 20 }).toBe(true)

/**
 * Wakes a user, and every operator, and waits until the streams have received it: they have received all that came
 * before.
 */
async function fence(user: { id: string }, ...streams: Stream[]): Promise<void> {
  const conversation = randomUUID()
  const wake = `data: ${JSON.stringify({ conversation, seq: 1 })}`
  await publish(t.deps.cache, { site: site.id, user: user.id as never, conversation, seq: 1 })
  await until(() => streams.every(({ heard }) => heard.includes(wake)))
  for (const { heard } of streams) heard.splice(heard.indexOf(wake), 1)
}

async function newOperator(): Promise<TestBrowser & { id: string }> {
  const user = await t.signIn(site)
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE'])
  return user
}

test('a message wakes its user and every operator, in every process, and no one else; it carries no text', async () => {
  const [user, stranger, operator] = await Promise.all([t.signIn(site), t.signIn(site), newOperator()])
  const streams = {
    own: await listen(user),
    elsewhere: await listen(user, {}, other),
    stranger: await listen(stranger),
    operator: await listen(operator, {}, other),
  }
  expect(Object.values(streams).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const { data } = await user.call(sendFeedback, { message: '秘密的问题' })
  const wake = `data: ${JSON.stringify({ conversation: data?.id, seq: 1 })}`
  await until(() => [streams.own, streams.elsewhere, streams.operator].every(({ heard }) => heard.includes(wake)))
  await operator.call(replyFeedback, { id: data?.id ?? '', message: '秘密的答复' })
  await until(() => streams.own.heard.length === 2)
  await fence(stranger, streams.stranger)
  expect(streams.stranger.heard).toEqual([])
  expect(JSON.stringify(streams)).not.toContain('秘密')
  for (const stream of Object.values(streams)) stream.close()
})

test('D146 the stream of an operator without a factor receives what a customer does', async () => {
  const [user, operator, witness] = await Promise.all([t.signIn(site), t.signIn(site), newOperator()])
  await grant(t.deps, site.id, operator.id as never, 'MERCHANT', ['READ', 'WRITE'], 'test')
  const [stream, seen] = [await listen(operator), await listen(witness)]
  const { data: own } = await operator.call(sendFeedback, { message: '我也有问题' })
  const { data: others } = await user.call(sendFeedback, { message: '杯子碎了' })
  const wake = (id = '') => `data: ${JSON.stringify({ conversation: id, seq: 1 })}`
  await until(() => seen.heard.includes(wake(others?.id)))
  await fence(operator, stream)
  expect(stream.heard).toEqual([wake(own?.id)])
  stream.close()
  seen.close()
})

/** A conversation with its user, two operators and what all three receive from now on. */
async function desk() {
  const [user, operator, author] = await Promise.all([t.signIn(site), newOperator(), newOperator()])
  const heard = { user: await listen(user), operator: await listen(operator, {}, other) }
  const id = (await user.call(sendFeedback, { message: '杯子碎了' })).data?.id ?? ''
  const own = (await author.call(sendFeedback, { message: '我也有问题' })).data?.id ?? ''
  await until(() => heard.user.heard.length === 1 && heard.operator.heard.length === 2)
  for (const stream of Object.values(heard)) stream.heard.length = 0
  return { user, operator, author, id, own, heard }
}

const toldKey = (id: string, author: { id: string }) => `{answering:${site.id}:${id}}:told:${author.id}`
/** As if it had been published more than two seconds ago. */
const pause = (id: string, author: { id: string }) => t.deps.redis.del(toldKey(id, author))

test('a note and its removal wake operators, in every process, and the user receives nothing', async () => {
  const { user, operator, author, id, own, heard } = await desk()
  const noted = await author.call(addNote, { id, text: '只给同事看', key: randomUUID() })
  await until(() => heard.operator.heard.length === 1)
  await author.call(removeNote, { id, note: noted.data?.id ?? '' })
  await until(() => heard.operator.heard.length === 2)
  expect(new Set(heard.operator.heard)).toEqual(
    new Set([`data: ${JSON.stringify({ conversation: id, seq: 1, desk: true })}`]),
  )
  // For an operator their own conversation is one like any other.
  const reading = await listen(author)
  await operator.call(addNote, { id: own, text: '同事的问题', key: randomUUID() })
  await until(() => reading.heard.length === 1)
  await fence(user, heard.user)
  expect(heard.user.heard).toEqual([])
  for (const stream of [...Object.values(heard), reading]) stream.close()
})

test('operators are woken when a colleague begins to write and when they stop, not at every beat', async () => {
  const { user, author, id, heard } = await desk()
  for (const writing of [true, true, true]) await author.call(answering, { id, writing })
  await until(() => heard.operator.heard.length === 1)
  await pause(id, author)
  for (const writing of [false, false]) await author.call(answering, { id, writing })
  await until(() => heard.operator.heard.length === 2)
  await fence(user, heard.user, heard.operator)
  expect(heard.operator.heard).toEqual(
    times(2, () => `data: ${JSON.stringify({ conversation: id, seq: 1, desk: true })}`),
  )
  expect(heard.user.heard).toEqual([])
  for (const stream of Object.values(heard)) stream.close()
})

test('an operator who begins and stops all the time wakes the others once in two seconds, without delaying other operators', async () => {
  const { user, operator, author, id, heard } = await desk()
  await author.call(answering, { id, writing: true })
  const left = await t.deps.redis.pttl(toldKey(id, author))
  // Either it is over already, on a slow machine, or it began with two seconds.
  expect(left === -2 || (left > 0 && left <= 2_000)).toBe(true)
  await t.deps.redis.set(toldKey(id, author), '1', 'PX', 60_000)
  for (const writing of [false, true, false, true]) await author.call(answering, { id, writing })
  await Promise.all(times(6, (index) => author.call(answering, { id, writing: index % 2 === 1 })))
  await until(() => heard.operator.heard.length === 1)
  await operator.call(answering, { id, writing: true })
  await until(() => heard.operator.heard.length === 2)
  await fence(user, heard.operator)
  expect(heard.operator.heard).toHaveLength(2)
  for (const stream of Object.values(heard)) stream.close()
})

test('what concerns operators alone is published to no one else, not even to its author without READ', async () => {
  const { user, id, heard } = await desk()
  await publish(t.deps.cache, { site: site.id, user: user.id as never, conversation: id, seq: 1, desk: true })
  await until(() => heard.operator.heard.length === 1)
  await fence(user, heard.user)
  expect(heard.user.heard).toEqual([])
  for (const stream of Object.values(heard)) stream.close()
})

test('a rating wakes like a message', async () => {
  const { user, author, id, heard } = await desk()
  await user.call(sendFeedback, { id, message: '在吗' })
  await author.call(replyFeedback, { id, message: '在的' })
  await author.call(setFeedbackStatus, { id, status: 4 })
  await until(() => heard.operator.heard.length === 3 && heard.user.heard.length === 3)
  await user.call(rateFeedback, { id, score: 5 })
  await until(() => heard.operator.heard.length === 4 && heard.user.heard.length === 4)
  // Wake-ups of the same moment come in any order; a rating adds no entry, so it carries the last number again.
  const [rated, ...before] = heard.operator.heard.toReversed()
  expect(rated).toBe(before.toSorted().at(-1))
  for (const stream of Object.values(heard)) stream.close()
})

test('a stream needs a session and the own origin', async () => {
  expect((await listen(t.browser(site))).status).toBe(401)
  const user = await t.signIn(site)
  expect((await listen(user, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  await user.call(logout)
  expect((await listen(user)).status).toBe(401)
})

test('a stream ends with its session, wherever that is ended, and stays with another', async () => {
  const user = await t.signIn(site)
  await t.passMinute(site, `+86${user.mobile}`)
  const second = await t.signIn(site, { mobile: user.mobile })
  const first = await listen(user, {}, other)
  const stays = await listen(second)
  await second.call(removeDevice, { id: sessionOf(user) })
  await until(() => first.ended)
  expect(stays.ended).toBe(false)
  await changeStatus(t.deps, site.id, second.id as never, 'disabled', 'test')
  await until(() => stays.ended)
})

test('a site that is disabled has no streams any more', async () => {
  const closing = await t.codeSite()
  const user = await t.signIn(closing)
  const stream = await listen(user, { host: closing.host })
  expect(stream).toMatchObject({ status: 200, ended: false })
  await changeSite(t.deps, closing.id, { status: 'disabled' }, 'test')
  await until(() => stream.ended)
})

test('an operator who is granted or loses the right receives accordingly, without a new stream', async () => {
  const [user, colleague] = await Promise.all([t.signIn(site), t.signIn(site)])
  const stream = await listen(colleague)
  await user.call(sendFeedback, { message: '第一条' })
  await fence(colleague, stream)
  expect(stream.heard).toEqual([])
  await makeOperator(t.deps, site.id, colleague.id, ['READ'])
  const forOperators = {
    site: site.id,
    user: user.id as never,
    conversation: randomUUID(),
    seq: 1,
    desk: true,
  } as const
  const hearsAsOperator = async () => {
    await publish(t.deps.cache, forOperators)
    return stream.heard.some((line) => line.includes(forOperators.conversation))
  }
  await expect.poll(hearsAsOperator, { timeout: 20_000 }).toBe(true)
  const second = (await user.call(sendFeedback, { message: '第二条' })).data?.id ?? ''
  await until(() => stream.heard.some((line) => line.includes(second)))
  stream.close()
})

test('a user has at most thirty streams, and closed ones make room', async () => {
  const user = await t.signIn(site)
  const streams = await Promise.all(times(30, () => listen(user)))
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  expect((await listen(user)).status).toBe(503)
  for (const stream of streams) stream.close()
  const again = async () => {
    const stream = await listen(user)
    stream.close()
    return stream.status
  }
  await expect.poll(again, { timeout: 20_000 }).toBe(200)
})

test('open streams are no calls in progress', async () => {
  const user = await t.signIn(site)
  const connections = promisify(t.app.server.getConnections.bind(t.app.server))
  const before = await connections()
  const stream = await listen(user)
  await until(() => t.app.idle())
  stream.close()
  await expect.poll(() => connections(), { timeout: 20_000 }).toBeLessThanOrEqual(before)
  expect(t.app.idle()).toBe(true)
})
