// @vitest-environment happy-dom
import { countdownRefresh, resendSeconds } from '@hufu/contract/verify-code-rules'
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { secondsLeft, useCountdown } from '../identity/verify-code/use-countdown.ts'
import { forgetCodes, lastReceiver, noteRefused, noteSent, noteUsed, sentTo, useSentCodes } from './sent-codes.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
const start = Date.UTC(2026, 10, 14)
const first = '+86 13812345678'
const second = '+86 13900000000'
const left = (receiver: string) => secondsLeft(sentTo(useSentCodes.getState().codes, receiver)?.until ?? 0, Date.now())
/** What a reload leaves: the storage alone. */
async function reload() {
  vi.resetModules()
  return import('./sent-codes.ts')
}

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  sessionStorage.clear()
  useSentCodes.setState({ codes: [] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('countdown', () => {
  test('S292 S293 S429 it runs for 60 s after a send and is over then', () => {
    noteSent(first, 'login', resendSeconds)
    expect(left(first)).toBe(60)
    vi.setSystemTime(start + 59_999)
    expect(left(first)).toBe(1)
    vi.setSystemTime(start + 60_000)
    expect(left(first)).toBe(0)
  })
  test('it belongs to the receiver', () => {
    noteSent(first, 'login', 60)
    vi.setSystemTime(start + 20_000)
    noteSent(second, 'login', 60)
    expect([left(first), left(second), left('+86 1')]).toEqual([40, 60, 0])
  })
  test('S294 S430 it is looked at every 100 ms and drawn once a second', async () => {
    expect(countdownRefresh).toBe(100)
    const drawn: number[] = []
    function Shown({ until }: { until: number }) {
      drawn.push(useCountdown(until))
      return null
    }
    const root = createRoot(document.createElement('div'))
    await act(async () => root.render(<Shown until={start + 2_950} />))
    await act(async () => vi.advanceTimersByTimeAsync(949))
    expect(drawn).toEqual([3])
    await act(async () => vi.advanceTimersByTimeAsync(51))
    expect(drawn.at(-1)).toBe(2)
    await act(async () => vi.advanceTimersByTimeAsync(2_000))
    expect(drawn.at(-1)).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    await act(async () => root.unmount())
  })
  test('it is shared by all purposes, but a code of one opens no page of another', () => {
    noteSent(first, 'twoFactor', 60)
    expect([left(first), lastReceiver('login'), lastReceiver('twoFactor')]).toEqual([60, undefined, first])
    noteRefused(first, 'login', 30)
    expect([left(first), lastReceiver('login'), lastReceiver('twoFactor')]).toEqual([30, undefined, first])
  })
  test('a refusal starts it without a code having been sent', () => {
    noteRefused(first, 'login', 3540)
    expect([left(first), lastReceiver('login')]).toEqual([3540, undefined])
  })
})

describe('reload', () => {
  test('D055 countdown and receiver survive it', async () => {
    noteSent(first, 'login', 60)
    vi.setSystemTime(start + 15_000)
    const anew = await reload()
    expect(anew.lastReceiver('login')).toBe(first)
    expect(anew.sentTo(anew.useSentCodes.getState().codes, first)?.until).toBe(start + 60_000)
  })
  test('a code that has been used or is too old is not come back to', async () => {
    noteSent(first, 'login', 60)
    noteUsed(first)
    expect([lastReceiver('login'), left(first)]).toEqual([undefined, 60])
    noteSent(second, 'login', 60)
    vi.setSystemTime(start + 5 * 60_000)
    expect((await reload()).lastReceiver('login')).toBeUndefined()
  })
  test('a code that still works is remembered after its countdown, also when one went to another receiver', async () => {
    noteSent(first, 'changeMobile', 60)
    vi.setSystemTime(start + 90_000)
    noteSent(second, 'twoFactor', 60)
    expect((await reload()).lastReceiver('changeMobile')).toBe(first)
  })
  test('signing out leaves no receiver behind', async () => {
    noteSent(first, 'authorize', 60)
    forgetCodes()
    expect([left(first), (await reload()).useSentCodes.getState().codes]).toEqual([0, []])
  })
  test.each(['rubbish', '7', '[null,{"receiver":1}]'])('%s in the storage counts as nothing', async (text) => {
    sessionStorage.setItem('sent_codes', text)
    expect((await reload()).useSentCodes.getState().codes).toEqual([])
  })
  test('holds also where storage is forbidden', () => {
    const forbidden = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('sessionStorage', { getItem: forbidden, setItem: forbidden })
    noteSent(first, 'login', 60)
    expect(left(first)).toBe(60)
  })
})
