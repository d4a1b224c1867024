// @vitest-environment happy-dom
import type { Curve, Statistics } from '@hufu/contract/statistics'
import { figures, windows } from '@hufu/contract/statistics-rules'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  all,
  draw,
  find,
  inputsOf,
  leave,
  Refusal,
  serve,
  settle,
  shownText,
  type as typeInto,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import StatisticsPage from './statistics-page.tsx'

const figuresPath = '/api/merchant/user/statistics'
const curvePath = '/api/merchant/user/curve'
const operator = { ...sampleUser, permission: { MERCHANT: ['READ'] } }
const hour = 3_600_000
const start = Date.parse('2026-11-13T22:00:00+08:00')

type Fifteen = Statistics['before']
const fifteen = (rows: Record<(typeof windows)[number], number[]>) =>
  Object.fromEntries(
    windows.flatMap((window) => figures.map((name, at) => [`${window}${name}`, rows[window][at] ?? 0])),
  ) as unknown as Fifteen

const none = { codeSent: 0, codeVerified: 0, codeSignedIn: 0, scanShown: 0, scanScanned: 0, scanApproved: 0 }
const sample: Statistics = {
  userCount: 48_216,
  ...fifteen({
    daily: [3182, 5904, 41_307, 3977, 268_450],
    weekly: [12_460, 19_873, 276_118, 26_340, 1_802_966],
    monthly: [27_905, 35_142, 1_130_527, 108_214, 7_415_083],
  }),
  before: fifteen({
    daily: [3054, 5617, 38_932, 4030, 254_700],
    weekly: [12_144, 19_238, 271_236, 26_340, 1_752_153],
    monthly: [25_983, 32_905, 0, 102_572, 6_859_466],
  }),
  newUsers: { daily: 127, weekly: 864, monthly: 0 },
  funnel: {
    daily: { codeSent: 200, codeVerified: 150, codeSignedIn: 120, scanShown: 40, scanScanned: 10, scanApproved: 9 },
    weekly: none,
    monthly: { ...none, codeSent: 5000, codeVerified: 4000 },
  },
  sms: { sent: 2410, budget: 5000 },
  time: Date.parse('2026-11-14T21:36:20+08:00'),
}
const curve: Curve = {
  step: 'hour',
  points: Array.from({ length: 24 }, (_, at) => ({ time: start + at * hour, value: 100 + at, before: at })),
}
const answers: Answers = {
  '/api/user/info': () => operator,
  [figuresPath]: () => sample,
  [curvePath]: () => curve,
}
const busy = () => {
  throw new Refusal('SERVICE_BUSY', '服务繁忙，请稍后再试')
}

async function open(served: Answers = answers) {
  serve(served)
  await draw(
    <>
      <Routes>
        <Route path="*" element={<SignedIn page={<StatisticsPage />} />} />
      </Routes>
      <Toaster />
    </>,
    '/merchant/statistics',
  )
}
const section = (title: string) =>
  all('section').find((each) => each.querySelector('h2')?.textContent === title) ?? expect.fail(`no card ${title}`)
const rowsOf = (title: string) => [...section(title).querySelectorAll('dl > div')].map((row) => row.textContent)
const plot = () => find('[role=slider]') ?? expect.fail('no plot')
async function press(key: string) {
  await act(async () => plot().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))
}
const tip = () => [...(find('.tip')?.querySelectorAll('p') ?? [])].map((line) => line.textContent)
const toast = () => find('.toast')?.textContent

beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})
afterEach(async () => {
  await leave()
  vi.useRealTimers()
})

describe('who sees it', () => {
  test('S343 a visitor is asked to sign in, and nothing is asked of the server', async () => {
    await open({
      ...answers,
      '/api/user/info': () => {
        throw new Refusal('NOT_LOGGED_IN')
      },
    })
    expect(shownText()).toContain('请先登录')
    expect([inputsOf(figuresPath), inputsOf(curvePath)]).toEqual([[], []])
  })
  test('S064 a user without READ sees 无权限访问 alone, and nothing is asked', async () => {
    await open({ ...answers, '/api/user/info': () => sampleUser })
    expect([shownText().includes('无权限访问'), find('.figures')]).toEqual([true, null])
    expect([inputsOf(figuresPath), inputsOf(curvePath)]).toEqual([[], []])
  })
})

describe('figures', () => {
  test('S064 S163 the page 用户统计: the total, who is new, and how fresh it is', async () => {
    await open()
    expect([find('h1')?.textContent, document.title]).toEqual(['用户统计', '用户统计'])
    expect(section('总计').textContent).toContain('48,216位用户')
    expect(rowsOf('总计')).toEqual(['近 24 小时新增+127', '近 7 天新增+864', '近 30 天新增0'])
    expect(find('.fresh')?.textContent).toBe('数据截至 21:36，每 5 秒更新')
  })
  test('S164 S167 S168 S169 S170 S171 the last 24 hours, each figure against the day before', async () => {
    await open()
    expect(rowsOf('近24小时统计')).toEqual([
      '授权用户3,182上升4.2%',
      '访问用户5,904上升5.1%',
      '页面访问41,307上升6.1%',
      '授权次数3,977下降1.3%',
      'API 调用268,450上升5.4%',
    ])
    expect(section('近24小时统计').textContent).toContain('较前一日')
  })
  test('S165 S167 S168 S169 S170 S171 the last 7 days; no change says so in grey', async () => {
    await open()
    expect(rowsOf('近7天统计')).toEqual([
      '授权用户12,460上升2.6%',
      '访问用户19,873上升3.3%',
      '页面访问276,118上升1.8%',
      '授权次数26,3400.0%',
      'API 调用1,802,966上升2.9%',
    ])
    expect(section('近7天统计').querySelectorAll('.change.same svg')).toHaveLength(0)
  })
  test('S166 S167 S168 S169 S170 S171 the last 30 days; nothing before is a dash', async () => {
    await open()
    expect(rowsOf('近30天统计')).toEqual([
      '授权用户27,905上升7.4%',
      '访问用户35,142上升6.8%',
      '页面访问1,130,527无可比数据—',
      '授权次数108,214上升5.5%',
      'API 调用7,415,083上升8.1%',
    ])
  })
  test('a change is never told by colour alone', async () => {
    await open()
    const [up, down] = [find('.change.up'), find('.change.down')]
    expect([up?.querySelector('svg.lucide-arrow-up'), down?.querySelector('svg.lucide-arrow-down')]).not.toContain(null)
  })
  test('until they are there their shape is', async () => {
    await open({ ...answers, [figuresPath]: () => new Promise(() => undefined) })
    expect(find('.figures')?.getAttribute('aria-busy')).toBe('true')
    expect(all('section h2').map((each) => each.textContent)).toContain('近30天统计')
    expect(all('.window .bone')).toHaveLength(15)
    expect(find('.fresh')).toBeNull()
  })
})

describe('freshness', () => {
  beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }))
  const lateBusy = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    busy()
  }
  const pass = (milliseconds: number) => act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)))

  test('they are asked for anew every 5 s, figures and curve', async () => {
    let userCount = 48_216
    await open({ ...answers, [figuresPath]: () => ({ ...sample, userCount: userCount++ }) })
    await pass(5_100)
    expect(section('总计').textContent).toContain('48,217位用户')
    expect([inputsOf(figuresPath).length, inputsOf(curvePath).length]).toEqual([2, 2])
  })
  test('S415 a failure is told once, for 5 s; the last figures stay and say so, until it works again', async () => {
    let served = answers
    const relay = (path: string) => (input: Record<string, unknown>) => served[path]?.(input)
    await open({ ...answers, [figuresPath]: relay(figuresPath), [curvePath]: relay(curvePath) })
    served = { [figuresPath]: lateBusy, [curvePath]: lateBusy }
    await pass(5_500)
    expect([toast(), find('.fresh')?.textContent]).toEqual([
      '服务繁忙，请稍后再试',
      '数据截至 21:36，更新中断，正在重试',
    ])
    expect(section('总计').textContent).toContain('48,216')
    await pass(3_000)
    expect(toast()).toBe('服务繁忙，请稍后再试')
    await pass(3_500)
    expect(toast()).toBeUndefined()
    const asked = inputsOf(figuresPath).length
    await pass(15_000)
    expect(inputsOf(figuresPath).length).toBeGreaterThan(asked)
    expect(toast()).toBeUndefined()
    served = answers
    await pass(6_000)
    expect(find('.fresh')?.textContent).toBe('数据截至 21:36，每 5 秒更新')
    served = { [figuresPath]: lateBusy, [curvePath]: lateBusy }
    await pass(6_000)
    expect(toast()).toBe('服务繁忙，请稍后再试')
  })
  test('S415 a first answer that fails is told, and comes by itself later', async () => {
    let failing = true
    const answer = () => (failing ? busy() : sample)
    await open({ ...answers, [figuresPath]: answer })
    expect([toast(), shownText().includes('暂时无法获取统计数据，正在自动重试')]).toEqual([
      '服务繁忙，请稍后再试',
      true,
    ])
    failing = false
    await pass(5_100)
    expect(section('总计').textContent).toContain('48,216')
  })
})

describe('curve', () => {
  test('begins with people who came in 24 hours; figure and window can be chosen', async () => {
    await open()
    expect(inputsOf(curvePath)).toEqual([{ window: 'daily', figure: 'AccessedUsers' }])
    const choice = find<HTMLSelectElement>('[aria-label=指标]')
    expect([...(choice?.options ?? [])].map((each) => each.text)).toEqual([
      '授权用户',
      '访问用户',
      '页面访问',
      '授权次数',
      'API 调用',
    ])
    await typeInto('指标', 'ApiAccess')
    expect(inputsOf(curvePath).at(-1)).toEqual({ window: 'daily', figure: 'ApiAccess' })
    await act(async () => find('.curve .seg label:nth-child(3) input')?.click())
    await settle()
    expect(inputsOf(curvePath).at(-1)).toEqual({ window: 'monthly', figure: 'ApiAccess' })
    expect(find('.legend')?.textContent).toBe('近 30 天前 30 天')
  })
  test('what was drawn stays, marked, until the next is there', async () => {
    let answer: (value: unknown) => void = () => undefined
    await open({
      ...answers,
      [curvePath]: ({ figure }) => (figure === 'ApiAccess' ? new Promise((resolve) => (answer = resolve)) : curve),
    })
    await typeInto('指标', 'ApiAccess')
    expect(find('.plot')?.className).toBe('plot old')
    await act(async () => answer(curve))
    await settle()
    expect(find('.plot')?.className).toBe('plot')
  })
  test('the keys lead from point to point and stop at the ends; escape hides the tip', async () => {
    await open()
    expect(tip()).toEqual([])
    await act(async () => plot().focus())
    expect(tip()).toEqual(['11 月 14 日 21:00–22:00', '访问用户123', '前一日23', '变化上升434.8%'])
    await press('ArrowRight')
    expect(tip()[0]).toBe('11 月 14 日 21:00–22:00')
    await press('ArrowLeft')
    expect(tip()[0]).toBe('11 月 14 日 20:00–21:00')
    expect(plot().getAttribute('aria-valuetext')).toBe('11 月 14 日 20:00–21:00，访问用户 122，前一日 22')
    await press('Home')
    await press('ArrowLeft')
    expect(tip()).toEqual(['11 月 13 日 22:00–23:00', '访问用户100', '前一日0', '变化无可比数据—'])
    await press('End')
    expect(plot().getAttribute('aria-valuenow')).toBe('24')
    await press('Escape')
    expect(tip()).toEqual([])
    await press('ArrowLeft')
    await act(async () => plot().blur())
    expect(tip()).toEqual([])
  })
  test('the same numbers stand in a table', async () => {
    await open()
    expect(find('table caption')?.textContent).toBe('近 24 小时访问用户')
    expect(all('table tbody tr')).toHaveLength(24)
    expect(all('table tbody tr')[2]?.textContent).toBe('11 月 14 日 00:00–01:001022')
  })
  test('S415 a curve that fails is told; the figures stand beside it', async () => {
    await open({ ...answers, [curvePath]: busy })
    expect([toast(), find('.plot-waiting')?.textContent]).toEqual([
      '服务繁忙，请稍后再试',
      '暂时无法获取曲线，正在自动重试',
    ])
    expect(section('总计').textContent).toContain('48,216')
  })
})

describe('ways to sign in', () => {
  const steps = () => all('.funnel li').map((each) => each.textContent)
  test('each step with its rate of the one before, for the chosen window', async () => {
    await open()
    expect(steps()).toEqual(['发送200', '验证15075.0%', '登录12080.0%', '展示40', '扫描1025.0%', '确认990.0%'])
    await act(async () => find('.funnels .seg label:nth-child(2) input')?.click())
    expect(steps()).toEqual(['发送0', '验证0—', '登录0—', '展示0', '扫描0—', '确认0—'])
    await act(async () => find('.funnels .seg label:nth-child(3) input')?.click())
    expect(steps().slice(0, 2)).toEqual(['发送5,000', '验证4,00080.0%'])
  })
})

describe('texted codes of today', () => {
  const smsText = () => section('今日短信').textContent
  test.each([
    [2410, 5000, '今日短信2,410/ 5,000 条还可发送 2,590 条', ''],
    [3999, 5000, '今日短信3,999/ 5,000 条还可发送 1,001 条', ''],
    [4000, 5000, '今日短信4,000/ 5,000 条即将用尽，还可发送 1,000 条', 'low'],
    [5000, 5000, '今日短信5,000/ 5,000 条今日额度已用尽', 'spent'],
    [5003, 5000, '今日短信5,003/ 5,000 条今日额度已用尽', 'spent'],
  ])('%i of %i', async (sent, budget, words, state) => {
    await open({ ...answers, [figuresPath]: () => ({ ...sample, sms: { sent, budget } }) })
    expect(smsText()).toBe(words)
    expect(find('.sms .level')?.className.trim()).toBe(`level ${state}`.trim())
    expect(all('.sms-left svg')).toHaveLength(state ? 1 : 0)
  })
  test('what can’t be counted says so', async () => {
    await open({ ...answers, [figuresPath]: () => ({ ...sample, sms: { sent: null, budget: 5000 } }) })
    expect(smsText()).toBe('今日短信暂无法统计')
  })
})
