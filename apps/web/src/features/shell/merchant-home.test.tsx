// @vitest-environment happy-dom
import type { MerchantHome } from '@hufu/contract/statistics'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { useDevice } from '../../lib/device.ts'
import { type Answers, all, draw, find, inputsOf, leave, Refusal, serve, shownText } from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { statisticsZhCN } from '../../text/statistics.zh-CN.ts'
import { acceptMeta } from '../site/site.store.ts'
import MerchantHomePage from './merchant-home-page.tsx'
import { waitedText } from './merchant-home-rows.ts'
import { SignedIn } from './signed-in.tsx'

const path = '/api/merchant/home'
const minute = 60_000
const now = Date.parse('2026-11-14T21:36:00+08:00')
const sample: MerchantHome = {
  waiting: 6,
  waitingSince: now - 42 * minute,
  userCount: 48_216,
  accessedToday: 5904,
  apiToday: 268_450,
  wechat: true,
  config: { version: 18, time: now - 5 * minute, by: '陈屿' },
}
const answers: Answers = {
  '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: ['READ'] } }),
  [path]: () => sample,
}

async function open(served: Answers = answers) {
  serve(served)
  await draw(
    <Routes>
      <Route path="*" element={<SignedIn page={<MerchantHomePage />} />} />
    </Routes>,
    '/merchant',
  )
}
const rows = (card: number) => [...(all('main section')[card]?.querySelectorAll('a') ?? [])]
const linksOf = (card: number) =>
  rows(card).map((row) => [row.querySelector('b')?.textContent, row.getAttribute('href')])
const said = (card: number) => rows(card).map((row) => row.textContent)
const lead = () => find('.merchant-lead')?.textContent
const pass = (milliseconds: number) => act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)))

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now })
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})
afterEach(async () => {
  await leave()
  vi.useRealTimers()
})

describe('what is there', () => {
  test('S059 S134 the page 商户管理 with exactly two cards', async () => {
    await open()
    expect(find('h1')?.textContent).toBe('商户管理')
    expect(all('main .card h2').map((each) => each.textContent)).toEqual(['客户服务', '商户管理'])
  })
  test('S135 S136 card 客户服务: 意见处理 and 用户管理', async () => {
    await open()
    expect(linksOf(0)).toEqual([
      ['意见处理', '/merchant/feedback'],
      ['用户管理', '/merchant/users'],
    ])
  })
  test('S137 S138 S139 card 商户管理: 使用量统计, 微信集成 and 配置', async () => {
    await open()
    expect(linksOf(1)).toEqual([
      ['使用量统计', '/merchant/statistics'],
      ['微信集成', '/merchant/wechat'],
      ['配置', '/merchant/config'],
    ])
    expect(find('.merchant-log')?.getAttribute('href')).toBe('/merchant/log')
  })
  test('S339 a visitor is asked to sign in; whoever may not read sees 无权限访问 and nothing is asked', async () => {
    await open({
      '/api/user/info': () => {
        throw new Refusal('NOT_LOGGED_IN')
      },
    })
    expect(shownText()).toContain('请先登录')
    await open({ ...answers, '/api/user/info': () => sampleUser })
    expect([shownText().includes('无权限访问'), all('.merchant-row'), inputsOf(path)]).toEqual([true, [], []])
  })
})

describe('hints', () => {
  test('what waits and how the day goes', async () => {
    await open()
    expect(lead()).toBe('11 月 14 日，星期六。有 6 条意见等待处理。')
    expect(said(0)).toEqual(['意见处理最早一条已等待 42 分钟6待处理', '用户管理共 48,216 位用户5,904今日访问'])
    expect(said(1)).toEqual([
      '使用量统计近 24 小时、7 天和 30 天268,450今日 API 调用',
      '微信集成Token、菜单与消息推送已配置',
      '配置5 分钟前 由陈屿修改第 18 版',
    ])
  })
  test('nothing waits, no WeChat, a config that nobody is known to have changed', async () => {
    const quiet = { ...sample, waiting: 0, waitingSince: null, wechat: false, config: { ...sample.config, by: null } }
    await open({ ...answers, [path]: () => quiet })
    expect(lead()).toBe('11 月 14 日，星期六。没有等待处理的意见。')
    expect(said(0)[0]).toBe('意见处理所有意见都已处理0待处理')
    expect(said(1).slice(1)).toEqual(['微信集成Token、菜单与消息推送未配置', '配置5 分钟前修改第 18 版'])
  })
  test('more than the server counts is told as such', async () => {
    await open({ ...answers, [path]: () => ({ ...sample, waiting: 1000 }) })
    expect([lead()?.includes('有 1000+ 条意见'), said(0)[0]?.includes('1000+待处理')]).toEqual([true, true])
  })
  test('while they come their shape is there, and without them the links work', async () => {
    await open({ ...answers, [path]: () => new Promise(() => undefined) })
    expect(all('.merchant-row .bone')).toHaveLength(5)
    await open({
      ...answers,
      [path]: () => {
        throw new Refusal('SERVICE_BUSY')
      },
    })
    expect([all('.merchant-row .bone').length, lead()]).toEqual([0, '11 月 14 日，星期六。'])
    expect(linksOf(0).concat(linksOf(1))).toHaveLength(5)
    expect(said(0)[0]).toBe('意见处理查看并回复用户的意见')
  })
  test('they are asked for anew every 10 s, and after a failure too', async () => {
    let calls = 0
    const answer = () => {
      calls += 1
      if (calls === 2) throw new Refusal('SERVICE_BUSY')
      return { ...sample, waiting: calls }
    }
    await open({ ...answers, [path]: answer })
    await pass(10_100)
    expect([calls, said(0)[0]]).toEqual([2, '意见处理最早一条已等待 42 分钟1待处理'])
    await pass(10_100)
    expect(said(0)[0]).toContain('3待处理')
  })
  test.each([
    [20_000, '最早一条等待不足 1 分钟'],
    [minute, '最早一条已等待 1 分钟'],
    [59 * minute, '最早一条已等待 59 分钟'],
    [60 * minute, '最早一条已等待 1 小时'],
    [23.9 * 60 * minute, '最早一条已等待 23 小时'],
    [50 * 60 * minute, '最早一条已等待 2 天'],
    [-5000, '最早一条等待不足 1 分钟'],
  ])('who waits since %i ms', (waited, words) => {
    expect(waitedText(now - waited, now, statisticsZhCN.home)).toBe(words)
  })
})
