import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevice } from '@hufu/contract/devices'
import { eventsPath } from '@hufu/contract/events'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { logout } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../test/test-app.ts'
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

async function newOperator(): Promise<TestBrowser> {
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
