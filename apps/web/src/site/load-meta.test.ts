// @vitest-environment happy-dom
import type { SiteMeta } from '@hufu/contract/site'
import { beforeEach, describe, expect, test } from 'vitest'
import { CallError, networkError } from '../lib/call/call.ts'
import { useDevice } from '../lib/device/device.ts'
import { metaLoader } from './load-meta.ts'
import { useSite } from './site.store.ts'

const meta: SiteMeta = {
  name: '青屿生活',
  methods: ['mobile'],
  regions: [],
  theme: { primary: '#5374fa' },
  languages: ['zh-CN'],
  registration: 'open',
  wechatEnabled: false,
}
const offline = () => Promise.reject(new CallError(networkError.code, networkError.message))

/** A loader whose answers and clock the test holds in its hands. */
function rig(answer: () => Promise<SiteMeta>) {
  const timers = new Map<number, { run: () => void; delay: number }>()
  let calls = 0
  let ids = 0
  const outside = {
    answer,
    fetchMeta: () => {
      calls += 1
      return outside.answer()
    },
    setTimer: (run: () => void, delay: number) => {
      ids += 1
      timers.set(ids, { run, delay })
      return ids
    },
    clearTimer: (id: number) => void timers.delete(id),
  }
  const settle = () => new Promise((resolve) => setTimeout(resolve))
  return {
    loader: metaLoader(outside),
    answerWith: (next: () => Promise<SiteMeta>) => {
      outside.answer = next
    },
    calls: () => calls,
    waiting: () => [...timers.values()].map(({ delay }) => delay),
    settle,
    /** Lets the one waiting timer run out and answers how long it was. */
    elapse: async () => {
      const [[id, timer] = []] = timers
      if (id === undefined || !timer) throw new Error('nothing is waiting')
      timers.delete(id)
      timer.run()
      await settle()
      return timer.delay
    },
  }
}

const loading = () => useSite.getState().loading

beforeEach(() => {
  useSite.setState(useSite.getInitialState(), true)
  useDevice.setState(useDevice.getInitialState(), true)
  document.title = '青屿生活'
})

describe('success', () => {
  test('S227 the loading screen is hidden after the meta has loaded, and only then', async () => {
    const { loader } = rig(async () => meta)
    const done = loader.start()
    expect(loading()).toMatchObject({ visible: true, title: '正在加载', message: '请耐心等待' })
    await done
    expect(loading().visible).toBe(false)
  })
  test('S234 a success leaves the title to the page', async () => {
    await rig(async () => meta).loader.start()
    expect(document.title).toBe('青屿生活')
  })
})

describe('network error', () => {
  test('S228 S229 title and message tell of it', async () => {
    const { loader } = rig(offline)
    await loader.start()
    expect(loading()).toMatchObject({ visible: true, title: '网络异常，请稍后再试', message: '正在尝试重新连接…' })
  })
  test('S234 the page title is the loading title', async () => {
    await rig(offline).loader.start()
    expect(document.title).toBe('网络异常，请稍后再试')
    expect(useDevice.getState().title).toBe('网络异常，请稍后再试')
  })
  test('S230 the load is retried by itself and succeeds when the network is back', async () => {
    const clock = rig(offline)
    await clock.loader.start()
    clock.answerWith(async () => meta)
    await clock.elapse()
    expect(clock.calls()).toBe(2)
    expect(useSite.getState()).toMatchObject({ name: '青屿生活', loading: { visible: false } })
    expect(clock.waiting()).toEqual([])
  })
  test('S235 S236 S237 S238 D069 exactly 50 retries on schedule, then 无法连接到服务器', async () => {
    const clock = rig(offline)
    await clock.loader.start()
    const delays: number[] = []
    while (clock.waiting().length > 0) delays.push(await clock.elapse())
    expect(delays).toEqual([...Array(5).fill(200), ...Array(15).fill(3_000), ...Array(30).fill(10_000)])
    expect(clock.calls()).toBe(51)
    expect(loading()).toMatchObject({ title: '无法连接到服务器', state: 'lost', retryCount: 50, visible: true })
    expect(document.title).toBe('无法连接到服务器')
  })
  test('D069 重新连接 starts again from retry 0', async () => {
    const clock = rig(offline)
    await clock.loader.start()
    while (clock.waiting().length > 0) await clock.elapse()
    const again = clock.loader.start()
    expect(loading()).toMatchObject({ title: '正在加载', state: 'working', retryCount: 0 })
    await again
    expect(clock.waiting()).toEqual([200])
    await clock.elapse()
    expect(loading().retryCount).toBe(1)
  })
})

describe('other errors', () => {
  const disabled = () => Promise.reject(new CallError('SITE_DISABLED', '站点暂停服务', undefined, 503))
  test("S231 S232 the title is 服务异常, the message the server's", async () => {
    await rig(disabled).loader.start()
    expect(loading()).toMatchObject({ visible: true, title: '服务异常', message: '站点暂停服务', state: 'failed' })
    expect(document.title).toBe('服务异常')
  })
  test('S233 there is no retry, not even when the network comes back', async () => {
    const clock = rig(disabled)
    await clock.loader.start()
    clock.loader.retryNow()
    await clock.settle()
    expect([clock.waiting(), clock.calls()]).toEqual([[], 1])
  })
  test('S233 nor when it comes after network errors', async () => {
    const clock = rig(offline)
    await clock.loader.start()
    clock.answerWith(disabled)
    await clock.elapse()
    expect(loading().title).toBe('服务异常')
    expect(clock.waiting()).toEqual([])
  })
})

describe('the network may be back', () => {
  test('S230 a waiting retry comes at once, and once', async () => {
    const clock = rig(offline)
    await clock.loader.start()
    clock.loader.retryNow()
    clock.loader.retryNow()
    await clock.settle()
    expect([clock.calls(), clock.waiting(), loading().retryCount]).toEqual([2, [200], 1])
  })
  test('S230 nothing happens while an answer is awaited or after success', async () => {
    const clock = rig(async () => meta)
    const done = clock.loader.start()
    clock.loader.retryNow()
    await done
    clock.loader.retryNow()
    expect(clock.calls()).toBe(1)
  })
})
