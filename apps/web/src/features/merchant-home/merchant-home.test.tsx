// @vitest-environment happy-dom
import type { Attention, MerchantHome } from '@hufu/contract/statistics'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import { type Answers, all, draw, find, inputsOf, leave, press, Refusal, serve, shownText } from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { merchantHomeZhCN } from './merchant-home.text.zh-CN.ts'
import MerchantHomePage from './merchant-home-page.tsx'
import { waitedText } from './rows.ts'

const path = '/api/merchant/home'
const minute = 60_000
const now = Date.parse('2026-11-14T21:36:00+08:00')
const sample: MerchantHome = {
  waiting: 6,
  waitingSince: now - 42 * minute,
  userCount: 48_216,
  oldest: [
    {
      id: 'a1b2c3d4-0000-4000-8000-000000000000',
      status: 0,
      name: '周慕白',
      since: now - 42 * minute,
      preview: '收不到验证码',
    },
    { id: 'ffee00d4-0000-4000-8000-000000000000', status: 1, name: null, since: now - 20_000, preview: '[图片]' },
  ],
  accessed: { today: 5904, yesterday: 5892 },
  newUsers: { today: 20, yesterday: 32 },
  api: { today: 268_450, yesterday: 268_450 },
  ratings: { count: 128, average: 4.7 },
  attention: [],
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
const rows = (card: number) => [...(all('.merchant-cards section')[card]?.querySelectorAll('a') ?? [])]
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
  test('S339 a visitor is asked to sign in; a user without READ sees 无权限访问 and nothing is asked', async () => {
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
  test('nothing waits, no WeChat, a config whose last author is unknown', async () => {
    const quiet = {
      ...sample,
      waiting: 0,
      waitingSince: null,
      oldest: [],
      wechat: false,
      config: { ...sample.config, by: null },
    }
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
    expect(waitedText(now - waited, now, merchantHomeZhCN)).toBe(words)
  })
})

describe('the day', () => {
  const talks = () =>
    all('.day-talk').map((each) => [
      each.getAttribute('href'),
      ...[...each.querySelectorAll('.day-line > *')].map((part) => part.textContent),
    ])
  const tiles = () => all('.day-tile').map((each) => each.textContent)
  const needs = () => all('.attention-item').map((each) => [each.getAttribute('href'), each.textContent])
  const answering = (differently: Partial<MerchantHome>) => ({
    ...answers,
    [path]: () => ({ ...sample, ...differently }),
  })

  test('who waits longest stands first, each a way into the conversation', async () => {
    await open()
    expect(talks()).toEqual([
      ['/merchant/feedback/a1b2c3d4-0000-4000-8000-000000000000', '周慕白', '已等 42 分钟', '待处理', '收不到验证码'],
      ['/merchant/feedback/ffee00d4-0000-4000-8000-000000000000', '编号 FFEE00', '刚刚', '处理中', '[图片]'],
    ])
    expect(find('.day-head')?.textContent).toBe('等待回复6查看全部')
    expect(find('.day-all')?.getAttribute('href')).toBe('/merchant/feedback')
  })
  test('a quiet day: no feedback waits, nothing needs a look, there are no ratings', async () => {
    await open(answering({ waiting: 0, waitingSince: null, oldest: [], ratings: { count: 0, average: null } }))
    expect([talks(), needs(), all('.attention')]).toEqual([[], [], []])
    expect(find('.day-panel')?.textContent).toBe('等待回复没有人在等待回复新的意见会出现在这里')
    expect(tiles()).toHaveLength(3)
  })
  test('D534 without a yesterday there is no comparison, as in statistics', async () => {
    await open({ ...answers, [path]: () => ({ ...sample, accessed: { today: 8, yesterday: 0 } }) })
    expect(tiles()[0]).toBe('今日访问用户8无可比数据—')
  })
  test('figures against yesterday up to the same hour, in words', async () => {
    await open()
    expect(tiles()).toEqual([
      '今日访问用户5,904比昨天同一时间多 12',
      '今日新增用户20比昨天同一时间少 12',
      '今日 API 调用268,450与昨天同一时间相同',
      '近 30 天满意度4.7/ 5 分128 次评价的平均分',
    ])
    expect(all('.day-tile .change').map((each) => each.querySelector('svg') !== null)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
  test('ratings beyond what the server counts, and an average without a fraction', async () => {
    await open(answering({ ratings: { count: 1000, average: 4 } }))
    expect(tiles()[3]).toBe('近 30 天满意度4.0/ 5 分1000+ 次评价的平均分')
  })
  test.each<[Attention, string, string]>([
    [
      { kind: 'smsBudget', sent: 412, open: 350, budget: 500 },
      '/merchant/config',
      '新用户收不到短信验证码今日已发送 412 条短信，上限 500 条，剩余的留给已登录的用户和登录过的浏览器。请在配置中提高 limits.siteDay。',
    ],
    [
      { kind: 'smsBudget', sent: 5000, open: 3500, budget: 5000 },
      '/merchant/config',
      '今日短信已用完已达全站每日上限 5,000 条，验证码发不出去。请在配置中提高 limits.siteDay。',
    ],
    [
      { kind: 'smsBudget', prefix: '86', sent: 1200, open: 1400, budget: 2000 },
      '/merchant/config',
      '+86 的今日短信即将用完已发送 1,200 条，达到 1,400 条后新用户收不到验证码，其余留给已登录的用户和登录过的浏览器（每个区号每日上限 2,000 条）。请在配置中提高 limits.prefixDay。',
    ],
    [
      { kind: 'smsBudget', prefix: '86', sent: 1700, open: 1400, budget: 2000 },
      '/merchant/config',
      '+86 的新用户收不到短信验证码已发送 1,700 条，每个区号每日上限 2,000 条，剩余的留给已登录的用户和登录过的浏览器。请在配置中提高 limits.prefixDay。',
    ],
    [
      { kind: 'smsBudget', prefix: '852', sent: 2000, open: 1400, budget: 2000 },
      '/merchant/config',
      '+852 的今日短信已用完已达每个区号每日上限 2,000 条，+852 的号码收不到验证码。请在配置中提高 limits.prefixDay。',
    ],
    [{ kind: 'codeRefused', count: 37, time: now }, '/merchant/config', '近 24 小时有 37 个验证码因额度用完没有发出'],
    [
      { kind: 'wechat', errcode: 40_164, time: now - 5 * minute },
      '/merchant/wechat',
      '服务器 IP 不在白名单中。请在公众平台的「基本配置」中添加。最近一次：5 分钟前',
    ],
    [{ kind: 'wechat', errcode: 40_001, time: now }, '/merchant/wechat', 'AppSecret 无效。'],
    [{ kind: 'wechat', errcode: 40_125, time: now }, '/merchant/wechat', 'AppSecret 无效。'],
    [{ kind: 'wechat', errcode: 48_001, time: now }, '/merchant/wechat', '公众号未获授权使用该接口。'],
    [{ kind: 'wechat', errcode: 45_009, time: now }, '/merchant/wechat', '今日的接口调用次数已用完'],
    [{ kind: 'wechat', errcode: 99_999, time: now }, '/merchant/wechat', '微信返回错误码 99999。'],
    [{ kind: 'wechat', errcode: null, time: now }, '/merchant/wechat', '请登录公众平台查看原因。'],
    [{ kind: 'smsFailed', count: 1204, time: now }, '/merchant/config', '近 24 小时有 1,204 条短信发送失败'],
    [{ kind: 'mailFailed', count: 3, time: now }, '/merchant/config', '近 24 小时有 3 封邮件发送失败'],
    [{ kind: 'wechatNoticeFailed', count: 2, time: now }, '/merchant/config', '近 24 小时有 2 条微信通知没有发出'],
  ])('%o says what happened and leads to where it is put right', async (attention, href, words) => {
    await open(answering({ attention: [attention] }))
    expect(needs()).toEqual([[href, expect.stringContaining(words)]])
  })
  test('D125 applications that sign in without PKCE are named, and lead to the config', async () => {
    await open(answering({ looseClients: ['海风书店'] }))
    expect(needs()).toEqual([['/merchant/config', expect.stringContaining('应用「海风书店」仍使用旧的登录方式')]])
    await open(answering({ looseClients: ['甲', '乙', '丙', '丁'] }))
    expect(needs()).toEqual([
      ['/merchant/config', expect.stringContaining('4 个应用仍使用旧的登录方式（甲、乙、丙等）')],
    ])
  })
  test('what needs a look stands in the order of the server, above who waits', async () => {
    const attention: Attention[] = [
      { kind: 'smsBudget', sent: 500, open: 350, budget: 500 },
      { kind: 'wechat', errcode: 40_001, time: now },
      { kind: 'smsBudget', prefix: '86', sent: 300, open: 350, budget: 500 },
    ]
    await open(answering({ attention }))
    expect(needs().map(([href]) => href)).toEqual(['/merchant/config', '/merchant/wechat', '/merchant/config'])
    expect(all('.attention-mark.bad')).toHaveLength(2)
    expect(all('.merchant-home h2').map((each) => each.textContent)).toEqual([
      '需要处理',
      '等待回复',
      '今日数据',
      '客户服务',
      '商户管理',
    ])
    expect(all('main .card h2')).toHaveLength(2)
  })
  test('while it comes its shape is there; without it that is said, and it can be asked for again', async () => {
    await open({ ...answers, [path]: () => new Promise(() => undefined) })
    expect([all('.day-bones .bone').length, all('.day-tile .figure-bone').length, talks()]).toEqual([3, 3, []])
    await open({
      ...answers,
      [path]: () => {
        throw new Refusal('SERVICE_BUSY')
      },
    })
    expect([all('.day'), find('.day-failed')?.textContent]).toEqual([[], '数据暂时无法加载重试'])
    serve(answers)
    await press('重试')
    expect([all('.day-failed'), talks().length]).toEqual([[], 2])
  })
})
