// @vitest-environment happy-dom
import type { FeedbackEntry, FeedbackItem } from '@hufu/contract/feedback'
import { referenceOf } from '@hufu/contract/feedback-rules'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  currentAddress,
  draw,
  failing,
  field,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
  type,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import MerchantFeedbackPage from './desk/merchant-feedback-page.tsx'
import UserFeedbackPage from './user-feedback-page.tsx'

const id = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const told: Omit<FeedbackEntry, 'seq'>[] = [{ role: 'user', message: '收不到通知', time: Date.now() - 60_000 }]

interface Standing extends Partial<FeedbackItem> {
  entries?: Omit<FeedbackEntry, 'seq'>[]
}

/** A conversation as the server tells it, in whichever part was asked for. */
function item({ entries = told, ...differently }: Standing = {}, part: { before?: number; after?: number } = {}) {
  const numbered = entries.map((entry, at) => ({ ...entry, seq: at + 1 }))
  const { before = Number.POSITIVE_INFINITY, after } = part
  const asked =
    after === undefined
      ? numbered.filter(({ seq }) => seq < before).slice(-50)
      : numbered.filter(({ seq }) => seq > after).slice(0, 50)
  return {
    id,
    status: 0,
    mobile: '138****5678',
    time: Date.now() - 60_000,
    content: JSON.stringify(asked),
    more: (asked[0]?.seq ?? 1) > 1,
    lastSeq: numbered.length,
    waitingSince: null,
    unread: false,
    offered: false,
    userTexts: 1,
    merchantTexts: 0,
    rating: null,
    ...differently,
  }
}

const brief = (message: string, differently: Partial<FeedbackItem> = {}) => ({
  ...item({ entries: [{ role: 'user', message, time: 0 }] }),
  ...differently,
})

let standing: Standing = {}
/** Both sides' calls, over one conversation. */
function server(rights: string[] = [], more: Answers = {}): Answers {
  const read = (part: Record<string, unknown>) => item(standing, part)
  const list = () => ({ count: 1, data: [brief('收不到通知')] })
  return {
    '/api/user/info': () => ({ ...sampleUser, permission: rights.length > 0 ? { MERCHANT: rights } : {} }),
    '/api/user/feedback/read': read,
    '/api/merchant/feedback/read': read,
    '/api/user/feedback/query': list,
    '/api/merchant/feedback/query': list,
    '/api/user/feedback/unread': () => ({ user: 0, merchant: 0 }),
    '/api/user/feedback/seen': () => null,
    '/api/merchant/feedback/seen': () => null,
    '/api/merchant/feedback/person': () => ({
      id: 'p',
      nickname: '林知夏',
      mobile: '138****5678',
      avatar: null,
      since: 0,
      devices: [{ browser: '微信', os: 'iOS 18', region: '广东省', time: 0 }],
      earlier: [{ id: 'e1a60841-0000-4000-8000-000000000000', status: 4, time: 0, preview: '头像模糊' }],
    }),
    ...more,
  }
}

const page = (
  <>
    <Routes>
      {['/user/feedback', '/user/feedback/:id'].map((path) => (
        <Route key={path} path={path} element={<SignedIn page={<UserFeedbackPage />} />} />
      ))}
      {['/merchant/feedback', '/merchant/feedback/:id'].map((path) => (
        <Route key={path} path={path} element={<SignedIn page={<MerchantFeedbackPage />} />} />
      ))}
    </Routes>
    <Toaster />
  </>
)
async function open(path: string, answers: Answers = server()) {
  serve(answers)
  await draw(page, path)
}
const asUser = (state: Standing = {}, more: Answers = {}) => {
  standing = state
  return open(`/user/feedback/${id}`, server([], more))
}
const asMerchant = (state: Standing = {}, more: Answers = {}, rights = ['READ', 'WRITE']) => {
  standing = state
  return open(`/merchant/feedback/${id}`, server(rights, more))
}
const toast = () => find('.toast')?.textContent
const bubbles = () => all('.bubble').map((each) => each.textContent)
const prompt = () => find('.ask b')?.textContent
const has = (label: string) => find(`[aria-label="${label}"]`) !== null

/** What scrolls into view here is whatever a test says. */
let inView: (seen: boolean) => void = () => undefined
class Observer {
  constructor(changed: (entries: { isIntersecting: boolean }[]) => void) {
    inView = (isIntersecting) => changed([{ isIntersecting }])
  }
  observe() {}
  disconnect() {}
}

afterEach(leave)
beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', Observer)
  sessionStorage.clear()
  standing = {}
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})

describe('the person’s side', () => {
  test('S033 S128 S133 a new one: an input of 10 rows, and the history cut at 100 characters', async () => {
    const long = brief('好'.repeat(120), { unread: true })
    await open('/user/feedback', { ...server(), '/api/user/feedback/query': () => ({ count: 1, data: [long] }) })
    expect(field('反馈内容').getAttribute('rows')).toBe('10')
    expect(inputsOf('/api/user/feedback/query')).toEqual([{ brief: true }])
    expect(find('.item-words')?.textContent).toBe(`${'好'.repeat(100)}…`)
    expect([find('.items .mono')?.textContent, has('有未读消息')]).toEqual([referenceOf(id), true])
    expect(shownText()).not.toContain('管理员请前往')
  })
  test('S338 signed out it asks to sign in', async () => {
    await open('/user/feedback', { ...server(), '/api/user/info': failing('NOT_LOGGED_IN', '') })
    expect(shownText()).toContain('请先登录')
  })
  test('S146 people with MERCHANT READ are told where to go', async () => {
    await open('/user/feedback', server(['READ']))
    expect(shownText()).toContain('管理员请前往「意见处理」')
    expect(find('.notice a')?.getAttribute('href')).toBe('/merchant/feedback')
  })
  test('S034 S129 S131 inside one: what was said, an input of 3 rows, the reference', async () => {
    await asUser({ entries: [...told, { role: 'merchant', message: '请稍等', time: Date.now() }] })
    expect(bubbles()).toEqual(['收不到通知', '请稍等'])
    expect(all('.say.own')).toHaveLength(1)
    expect([field('反馈内容').getAttribute('rows'), find('.reference .mono')?.textContent]).toEqual(['3', '7F3A9C'])
  })
  test('S312 S311 S425 D532 blank isn’t sent, and a line says so; a message is trimmed, sent once with a key, and the toast says so', async () => {
    await open('/user/feedback', { ...server(), '/api/user/feedback/send': () => ({ id, seq: 1, status: 0 }) })
    await type('反馈内容', ' \n ')
    await press('发送')
    expect([inputsOf('/api/user/feedback/send'), alertText()]).toEqual([[], '请先输入内容或添加图片'])
    await type('反馈内容', ' 收不到通知 \n')
    expect(alertText()).toBeUndefined()
    await press('发送')
    const key = expect.stringMatching(/^[\w-]{8,64}$/)
    expect(inputsOf('/api/user/feedback/send')).toEqual([{ message: '收不到通知', key }])
    expect([toast(), currentAddress()]).toEqual(['发送成功', `/user/feedback/${id}`])
  })
  test('Ctrl+Enter and ⌘+Enter send, Enter alone doesn’t', async () => {
    await asUser({}, { '/api/user/feedback/send': () => ({ id, seq: 2, status: 0 }) })
    const enter = (keys: KeyboardEventInit) =>
      act(async () => {
        field('反馈内容').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...keys }))
      })
    await type('反馈内容', '一')
    await enter({})
    expect(inputsOf('/api/user/feedback/send')).toHaveLength(0)
    await enter({ ctrlKey: true })
    await settle()
    await type('反馈内容', '二')
    await enter({ metaKey: true })
    await settle()
    expect(inputsOf('/api/user/feedback/send')).toMatchObject([{ id, message: '一' }, { message: '二' }])
  })
  test('S419 D044 an error is a toast, the text stays, also over a reload, and again means the same key', async () => {
    await asUser({}, { '/api/user/feedback/send': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await type('反馈内容', '还有')
    await press('发送')
    expect([toast(), field('反馈内容').value]).toEqual(['服务繁忙，请稍后再试', '还有'])
    const [first] = inputsOf('/api/user/feedback/send')
    await asUser({}, { '/api/user/feedback/send': () => ({ id, seq: 2, status: 0 }) })
    expect(field('反馈内容').value).toBe('还有')
    await press('发送')
    expect(inputsOf('/api/user/feedback/send')).toEqual([first])
    expect(field('反馈内容').value).toBe('')
  })
  test('more than 5,000 characters can’t be sent, and the counter says how many', async () => {
    await asUser()
    await type('反馈内容', '好'.repeat(5_001))
    expect([find('.compose .note')?.textContent?.slice(0, 11), button('发送')?.disabled]).toEqual(['5001 / 5000', true])
  })
  test.each([
    [0, {}, undefined, true],
    [1, {}, undefined, true],
    [2, {}, '商户已回复，如仍有疑问请补充更多细节', true],
    [3, { offered: true }, '您的问题是否已解决？', true],
    [1, { offered: true }, '您的问题是否已解决？', true],
    [2, { offered: true }, '您的问题是否已解决？', true],
    [4, {}, '本次反馈已结束，如有新的问题请发起新的反馈', false],
    [5, {}, '该问题暂时无法解决，您可以在下方继续沟通', true],
  ])('S273 S274 S275 S276 S277 S278 S279 D063 at %i with %o: %s', async (status, more, words, inputShown) => {
    await asUser({ status, ...more })
    expect([prompt(), has('反馈内容')]).toEqual([words, inputShown])
    expect(button('已解决') !== undefined).toBe(words === '您的问题是否已解决？')
    expect(find('.ask a')?.getAttribute('href')).toBe(status === 4 ? '/user/feedback' : undefined)
  })
  test('已解决 confirms, and what the server then says is shown', async () => {
    await asUser(
      { status: 3, offered: true },
      {
        '/api/user/feedback/confirm': () => {
          standing = { status: 4, entries: [...told, { role: 'user', message: '', status: 4, time: Date.now() }] }
          return { id, seq: 2, status: 4 }
        },
      },
    )
    await press('已解决')
    expect(inputsOf('/api/user/feedback/confirm')).toEqual([{ id }])
    expect(shownText()).toContain('您已确认解决，反馈已结束')
    expect(has('反馈内容')).toBe(false)
    // Only what is new was asked for.
    expect(inputsOf('/api/user/feedback/read').at(-1)).toEqual({ id, after: 1 })
  })
  test('S132 S421 S422 copying the reference', async () => {
    await asUser()
    const copied: string[] = []
    vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => copied.push(text) } })
    await press('复制编号')
    expect([copied, toast()]).toEqual([['7F3A9C'], '已复制编号'])
    vi.stubGlobal('navigator', {})
    await press('复制编号')
    expect(toast()).toBe('复制失败，您的设备未开启复制权限')
    vi.unstubAllGlobals()
  })
  test('older entries come on demand, and nothing is there twice', async () => {
    const entries = Array.from({ length: 70 }, (_, at) => ({ ...told[0], message: `第 ${at + 1} 条` }) as FeedbackEntry)
    await asUser({ entries })
    expect(bubbles()).toHaveLength(50)
    await press('查看更早的消息')
    expect(inputsOf('/api/user/feedback/read').at(-1)).toEqual({ id, before: 21 })
    expect([bubbles().length, bubbles()[0], button('查看更早的消息')]).toEqual([70, '第 1 条', undefined])
  })
  test('the next page of the history begins where the first ends', async () => {
    const data = Array.from({ length: 100 }, (_, at) => brief('好', { id: `${at}`, time: 1_000 - at }))
    const list = ({ before }: Record<string, unknown>) =>
      before ? { count: 101, data: [brief('最早', { id: 'last' })] } : { count: 101, data }
    await open('/user/feedback', { ...server(), '/api/user/feedback/query': list })
    await press('加载更多')
    expect(inputsOf('/api/user/feedback/query').at(-1)).toEqual({ brief: true, before: { time: 901, id: '99' } })
    expect([all('.items li').length, button('加载更多')]).toEqual([101, undefined])
  })
  test('what was on the screen is noted as seen, once', async () => {
    await asUser({ unread: true })
    expect(inputsOf('/api/user/feedback/seen')).toEqual([])
    standing = { unread: false }
    await act(async () => inView(true))
    await settle()
    expect(inputsOf('/api/user/feedback/seen')).toEqual([{ id, seq: 1 }])
  })
  test('one that isn’t there, an empty history, and trouble are said', async () => {
    await asUser({}, { '/api/user/feedback/read': failing('NOT_FOUND', '') })
    expect(shownText()).toContain('该反馈不存在')
    await open('/user/feedback', { ...server(), '/api/user/feedback/query': () => ({ count: 0, data: [] }) })
    expect(shownText()).toContain('暂无历史反馈')
    await asUser({}, { '/api/user/feedback/read': failing('SERVICE_BUSY', '服务繁忙') })
    expect([shownText().includes('服务繁忙'), button('重试') !== undefined]).toEqual([true, true])
  })
})

describe('the merchant’s side', () => {
  test('S060 S143 without READ 无权限访问; with it the list', async () => {
    await open('/merchant/feedback', server([]))
    expect(shownText()).toContain('无权限访问')
    expect(inputsOf('/api/merchant/feedback/query')).toEqual([])
    await open('/merchant/feedback', server(['READ']))
    expect(find('h1')?.textContent).toBe('意见处理')
    expect(all('.items li')).toHaveLength(1)
    expect(inputsOf('/api/merchant/feedback/query')).toEqual([{ waiting: true, longestFirst: true, brief: true }])
  })
  test('待处理 and 全部, the status, the order and the search are asked of the server', async () => {
    await open('/merchant/feedback', server(['READ']))
    const last = () => inputsOf('/api/merchant/feedback/query').at(-1)
    await press('等待最久优先')
    expect(last()).toEqual({ waiting: true, brief: true })
    await act(async () => all('.seg input')[1]?.click())
    await settle()
    expect([last(), button('等待最久优先')]).toEqual([{ brief: true }, undefined])
    await type('状态', '5')
    expect(last()).toEqual({ status: 5, brief: true })
    await type('搜索编号或手机号', ' 7F3A9C ')
    await act(async () => new Promise((resolve) => setTimeout(resolve, 350)))
    await settle()
    expect(last()).toEqual({ status: 5, search: '7F3A9C', brief: true })
    // What is chosen while a search is on its way stays chosen.
    await type('搜索编号或手机号', '')
    await type('状态', '2')
    await act(async () => new Promise((resolve) => setTimeout(resolve, 350)))
    await settle()
    expect(last()).toEqual({ status: 2, brief: true })
  })
  test('S412 a server error is a toast', async () => {
    await open('/merchant/feedback', {
      ...server(['READ']),
      '/api/merchant/feedback/query': failing('SERVICE_BUSY', '服务繁忙，请稍后再试'),
    })
    expect(toast()).toBe('服务繁忙，请稍后再试')
  })
  test('S061 S140 S141 S142 a conversation with both sides, the reply box, and who wrote', async () => {
    await asMerchant({ entries: [...told, { role: 'merchant', message: '请稍等', time: Date.now() }] })
    expect(bubbles()).toEqual(['收不到通知', '请稍等'])
    expect(field('回复内容').getAttribute('placeholder')).toBe('请输入您的回复')
    expect(field('回复内容').getAttribute('rows')).toBe('3')
    const person = find('.person')?.textContent ?? ''
    for (const words of ['林知夏', '138****5678', '微信 iOS 18', '头像模糊']) expect(person).toContain(words)
  })
  test.each([
    [0, '是否开始处理该反馈？', ['开始处理']],
    [1, undefined, []],
    [2, '问题是否已解决？', ['暂时无法解决', '已解决']],
    [3, undefined, []],
    [4, '本次反馈已结束，发送回复将重新开启沟通', []],
    [5, undefined, []],
  ])('S280 S282 S285 at %i: %s', async (status, words, buttons) => {
    await asMerchant({ status })
    expect(prompt()).toBe(words)
    expect(all('.ask button').map((each) => each.textContent)).toEqual(buttons)
    expect(has('回复内容')).toBe(true)
  })
  test.each([
    [0, '开始处理', 1],
    [2, '已解决', 3],
    [2, '暂时无法解决', 5],
  ])('S281 S283 S284 at %i %s sets %i', async (status, words, to) => {
    await asMerchant({ status }, { '/api/merchant/feedback/status': () => ({ id, seq: 2, status: to }) })
    await press(words)
    expect(inputsOf('/api/merchant/feedback/status')).toEqual([{ id, status: to }])
  })
  test.each([
    [{ status: 2, userTexts: 2, merchantTexts: 1 }, true],
    [{ status: 0, userTexts: 2, merchantTexts: 0 }, false],
    [{ status: 2, userTexts: 1, merchantTexts: 1 }, false],
    [{ status: 4, userTexts: 2, merchantTexts: 1 }, false],
  ])('S288 S289 S290 S291 force close with %o: %s', async (state, offered) => {
    await asMerchant(state)
    expect(button('强制关闭') !== undefined).toBe(offered)
  })
  test('S287 force close asks first', async () => {
    const done = () => ({ id, seq: 2, status: 4 })
    await asMerchant({ status: 2, userTexts: 2, merchantTexts: 1 }, { '/api/merchant/feedback/status': done })
    await press('强制关闭')
    expect(inputsOf('/api/merchant/feedback/status')).toEqual([])
    await act(async () => all('dialog.dialog button').at(-1)?.click())
    await settle()
    expect(inputsOf('/api/merchant/feedback/status')).toEqual([{ id, status: 4 }])
    expect(find('dialog.dialog')).toBeNull()
  })
  test('S313 S314 S424 a reply is trimmed, a blank one isn’t sent; then the next waiting one is near', async () => {
    const next = 'b20e5141-0000-4000-8000-000000000000'
    await asMerchant(
      {},
      {
        '/api/merchant/feedback/send': () => ({ id, seq: 2, status: 2 }),
        '/api/merchant/feedback/query': () => ({ count: 2, data: [brief('一'), brief('二', { id: next })] }),
      },
    )
    await type('回复内容', '  ')
    await press('发送')
    expect(inputsOf('/api/merchant/feedback/send')).toEqual([])
    await type('回复内容', ' 请稍等 ')
    await press('发送')
    expect(inputsOf('/api/merchant/feedback/send')).toMatchObject([{ id, message: '请稍等' }])
    expect(toast()).toBe('发送成功')
    await press('下一条')
    expect(currentAddress()).toBe(`/merchant/feedback/${next}`)
  })
  test('D043 a conflict is told, and how it stands now is shown', async () => {
    await asMerchant(
      {},
      {
        '/api/merchant/feedback/status': () => {
          standing = { status: 1, entries: [...told, { role: 'merchant', message: '', status: 1, time: Date.now() }] }
          throw new Refusal('FEEDBACK_STATUS_CONFLICT', '该反馈的状态已变化，请查看最新内容后再操作', { status: 1 })
        },
      },
    )
    await press('开始处理')
    expect(toast()).toBe('该反馈的状态已变化，请查看最新内容后再操作')
    expect([prompt(), find('.chat > header .badge')?.textContent]).toEqual([undefined, '处理中'])
  })
  test('without WRITE everything can be read and nothing pressed', async () => {
    await asMerchant({ status: 2, userTexts: 2, merchantTexts: 1 }, {}, ['READ'])
    for (const words of ['已解决', '暂时无法解决', '强制关闭', '发送']) {
      expect([words, button(words)?.disabled, button(words)?.title]).toEqual([words, true, '没有权限执行此操作'])
    }
    expect([field('回复内容').disabled, shownText().includes('没有权限执行此操作')]).toEqual([true, true])
  })
})
