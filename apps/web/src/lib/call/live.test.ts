// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startLive, type Wake } from './live.ts'

/** The browser's event stream, opened and broken by the test. */
class Stream {
  static all: Stream[] = []
  static CLOSED = 2
  readyState = 0
  onopen?: () => void
  onerror?: () => void
  onmessage?: (event: { data: string }) => void
  readonly address: string
  constructor(address: string) {
    this.address = address
    Stream.all.push(this)
  }
  open() {
    this.readyState = 1
    this.onopen?.()
  }
  wake(wake: Wake) {
    this.onmessage?.({ data: JSON.stringify(wake) })
  }
  /** The browser opens it again by itself unless it was refused. */
  fail(refused = false) {
    this.readyState = refused ? 2 : 0
    this.onerror?.()
  }
  close() {
    this.readyState = 2
  }
}
const newest = () => Stream.all.at(-1) as Stream

/** One lock for all tabs of this test, given in the order of asking. */
function lock() {
  let turn: Promise<unknown> = Promise.resolve()
  return {
    request: (_: string, { signal }: { signal: AbortSignal }, run: () => Promise<unknown>) => {
      const mine = turn.then(() => (signal.aborted ? undefined : run()))
      turn = mine
      return mine
    },
  }
}

const channels = new Set<Channel>()
class Channel extends EventTarget {
  readonly name: string
  constructor(name: string) {
    super()
    this.name = name
    channels.add(this)
  }
  postMessage(data: unknown) {
    if (!channels.has(this)) return
    for (const other of channels)
      if (other !== this && other.name === this.name) other.dispatchEvent(new MessageEvent('message', { data }))
  }
  close() {
    channels.delete(this)
  }
}

const tabs: (() => void)[] = []
function tab() {
  const heard: (Wake | undefined)[] = []
  const stop = startLive('u', { onWake: (wake) => heard.push(wake), pause: () => 4_000 })
  tabs.push(stop)
  return { heard, stop }
}
const shown = (hidden: boolean) => {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}
const turn = () => vi.advanceTimersByTimeAsync(0)

const wake = { conversation: 'f', seq: 3 }
beforeEach(() => {
  vi.useFakeTimers()
  Stream.all = []
  vi.stubGlobal('EventSource', Stream)
  vi.stubGlobal('BroadcastChannel', Channel)
  Object.defineProperty(navigator, 'locks', { value: lock(), configurable: true })
  shown(false)
})
afterEach(() => {
  for (const stop of tabs.splice(0)) stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('tabs share one stream, and all of them hear', async () => {
  const [one, other] = [tab(), tab()]
  await turn()
  expect(Stream.all.map(({ address }) => address)).toEqual(['/api/events'])
  newest().open()
  newest().wake(wake)
  expect([one.heard, other.heard]).toEqual([
    [undefined, wake],
    [undefined, wake],
  ])
})
test('a tab that comes later learns that the stream is up', async () => {
  tab()
  await turn()
  newest().open()
  const late = tab()
  await turn()
  expect(late.heard).toEqual([undefined])
  await vi.advanceTimersByTimeAsync(20_000)
  expect(late.heard).toEqual([undefined])
})
test('when the tab with the stream goes, the next one opens its own and looks for what it missed', async () => {
  const [one, other] = [tab(), tab()]
  await turn()
  newest().open()
  one.stop()
  await turn()
  expect(Stream.all.map(({ readyState }) => readyState)).toEqual([2, 0])
  other.heard.length = 0
  newest().open()
  newest().wake(wake)
  expect(other.heard).toEqual([undefined, wake])
})
test('the same when that tab was gone without a word', async () => {
  const [one, other] = [tab(), tab()]
  await turn()
  newest().open()
  for (const first of [...channels].slice(0, 1)) channels.delete(first)
  one.stop()
  await turn()
  other.heard.length = 0
  newest().open()
  expect(other.heard).toEqual([undefined])
})
test('while it is down there is a look every 4 s, but only while the page is visible; after that nothing was missed', async () => {
  const { heard } = tab()
  await turn()
  newest().open()
  newest().fail()
  heard.length = 0
  await vi.advanceTimersByTimeAsync(8_000)
  expect(heard).toEqual([undefined, undefined])
  shown(true)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(heard).toHaveLength(2)
  shown(false)
  expect(heard).toHaveLength(3)
  newest().open()
  expect(heard).toHaveLength(4)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(heard).toHaveLength(4)
})
test('one that is refused is opened again, ever more patiently', async () => {
  tab()
  await turn()
  for (const [pause, streams] of [
    [1_000, 2],
    [2_000, 3],
    [4_000, 4],
  ] as const) {
    newest().fail(true)
    await vi.advanceTimersByTimeAsync(pause - 1)
    expect(Stream.all).toHaveLength(streams - 1)
    await vi.advanceTimersByTimeAsync(1)
    expect(Stream.all).toHaveLength(streams)
  }
})
test('once it has been open, the next refusal waits as short as the first', async () => {
  tab()
  await turn()
  newest().fail(true)
  await vi.advanceTimersByTimeAsync(1_000)
  newest().open()
  newest().fail(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(Stream.all).toHaveLength(3)
})
test('without locks or channels every tab has its own', async () => {
  Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
  const [one] = [tab(), tab()]
  expect(Stream.all).toHaveLength(2)
  Stream.all[0]?.open()
  Stream.all[0]?.wake(wake)
  expect(one?.heard).toEqual([undefined, wake])
})
test('stopping ends the stream and every look', async () => {
  const { heard, stop } = tab()
  await turn()
  stop()
  expect(newest().readyState).toBe(2)
  heard.length = 0
  await vi.advanceTimersByTimeAsync(60_000)
  shown(false)
  expect([heard, Stream.all.length]).toEqual([[], 1])
})
