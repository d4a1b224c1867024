// @vitest-environment happy-dom
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unreadKey } from '../../frame/unread.ts'
import { inputsOf, serve } from '../../test/page.tsx'
import { deskKey, homeKey, listKey, talkKey } from './feedback.api.ts'
import { follow } from './follow.ts'

class Stream {
  static CLOSED = 2
  static last: Stream
  readyState = 1
  onopen?: () => void
  onmessage?: (event: { data: string }) => void
  constructor() {
    Stream.last = this
  }
  close() {}
}
const wake = (conversation: string, seq: number, desk?: true) =>
  Stream.last.onmessage?.({ data: JSON.stringify({ conversation, seq, desk }) })

let client: QueryClient
let stop = () => {}
const asked: string[] = []
/** As if it were on the screen. */
function show(queryKey: unknown[], name: string) {
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: async () => {
      asked.push(name)
      return name
    },
  })
  return observer.subscribe(() => undefined)
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

beforeEach(async () => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('BroadcastChannel', undefined)
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
  client = new QueryClient()
  serve({ '/api/user/feedback/unread': () => ({ user: 2, merchant: 0 }) })
  show(talkKey('u', 'user', 'f'), 'talk')
  show(listKey('u', 'user'), 'list')
  stop = follow(client, 'u')
  await pass(10)
  asked.length = 0
})
afterEach(() => {
  stop()
  client.clear()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('what is new is counted at once', () =>
  expect(client.getQueryData(unreadKey('u'))).toEqual({ user: 2, merchant: 0 }))
test('a wake asks for that conversation, the lists and the counts', async () => {
  Stream.last.onopen?.()
  await pass(1_100)
  asked.length = 0
  wake('other', 1)
  await pass(10)
  expect(asked).toEqual(['list'])
  await pass(1_100)
  wake('f', 2)
  await pass(10)
  expect(asked.sort()).toEqual(['list', 'list', 'talk'])
})
test('a wake that comes while the counts are on their way has them asked for again', async () => {
  let answerLate = () => {}
  const late = new Promise((resolve) => {
    answerLate = () => resolve({ user: 2, merchant: 0 })
  })
  const answers = [late, Promise.resolve({ user: 3, merchant: 0 })]
  serve({ '/api/user/feedback/unread': () => answers.shift() })
  Stream.last.onopen?.()
  await pass(10)
  wake('other', 1)
  await pass(10)
  answerLate()
  await pass(10)
  expect([answers.length, client.getQueryData(unreadKey('u'))]).toEqual([0, { user: 3, merchant: 0 }])
})
test('a wake among operators asks for what they have beside that conversation, and for nothing else', async () => {
  const known = [show([...deskKey('u', 'f'), 'notes'], 'notes'), show([...deskKey('u', 'other'), 'notes'], 'others')]
  Stream.last.onopen?.()
  await pass(1_100)
  asked.length = 0
  wake('f', 1, true)
  await pass(2_000)
  expect(asked).toEqual(['notes'])
  // A reply ends the writing of its sender.
  wake('f', 2)
  await pass(10)
  expect(asked.slice(1).sort()).toEqual(['list', 'notes', 'talk'])
  for (const forget of known) forget()
})
test('a busy site has its lists asked for once a second, and the last wake counts', async () => {
  Stream.last.onopen?.()
  await pass(1_100)
  asked.length = 0
  for (let seq = 1; seq <= 50; seq += 1) wake('other', seq)
  await pass(10)
  expect(asked).toEqual(['list'])
  await pass(1_000)
  expect(asked).toEqual(['list', 'list'])
  await pass(5_000)
  expect(asked).toEqual(['list', 'list'])
})
test('the home of a busy site is asked for once in 5 s, and the last wake counts', async () => {
  Stream.last.onopen?.()
  await pass(5_100)
  const forget = show(homeKey('u'), 'home')
  await pass(10)
  asked.length = 0
  const homes = () => asked.filter((name) => name === 'home').length
  for (let seq = 1; seq <= 14; seq += 1) {
    wake('other', seq)
    await pass(500)
  }
  expect(homes()).toBe(2)
  await pass(5_000)
  expect(homes()).toBe(3)
  await pass(9_000)
  expect(homes()).toBe(3)
  forget()
})
test('while nothing is heard everything on the screen is asked for every 4 s', async () => {
  await pass(4_000)
  expect(asked.sort()).toEqual(['list', 'talk'])
  expect(inputsOf('/api/user/feedback/unread').length).toBe(2)
})
