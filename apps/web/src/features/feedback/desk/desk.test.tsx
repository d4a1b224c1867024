// @vitest-environment happy-dom
import type { Colleague, FeedbackNote, QuickReply } from '@hufu/contract/feedback-desk'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../../app/signed-in.tsx'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  all,
  button,
  draw,
  failing,
  field,
  find,
  inputsOf,
  leave,
  press,
  serve,
  settle,
  shownText,
  type,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import { Toaster } from '../../../ui/toast.tsx'
import MerchantFeedbackPage from './merchant-feedback-page.tsx'

const id = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const me = { id: sampleUser.id, name: '林知夏' }
const colleague = { id: 'c', name: '陈晨' }
const note = (text: string, author: Colleague = colleague): FeedbackNote => ({ id: text, author, text, time: 0 })

let notes: FeedbackNote[] = []
let replies: QuickReply[] = []
let others: Colleague[] = []
let standing: Record<string, unknown> = {}

const item = () => ({
  id,
  status: 1,
  mobile: '138****5678',
  time: 0,
  content: JSON.stringify([{ seq: 1, role: 'user', message: '收不到通知', time: 0 }]),
  more: false,
  lastSeq: 1,
  waitingSince: null,
  unread: false,
  offered: false,
  userTexts: 1,
  merchantTexts: 0,
  rating: null,
  ...standing,
})

const server = (rights: string[], more: Answers): Answers => ({
  '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: rights } }),
  '/api/merchant/feedback/read': item,
  '/api/merchant/feedback/query': () => ({ count: 1, data: [item()] }),
  '/api/merchant/feedback/person': () => ({ id: 'p', ...person }),
  '/api/merchant/feedback/seen': () => null,
  '/api/merchant/feedback/notes': () => notes,
  '/api/merchant/feedback/answering': () => others,
  '/api/merchant/replies/query': () => replies,
  '/api/user/feedback/unread': () => ({ user: 0, merchant: 0 }),
  ...more,
})
const person = { nickname: '用户甲', mobile: null, avatar: null, since: 0, devices: [], earlier: [] }

async function open(more: Answers = {}, rights = ['READ', 'WRITE']) {
  serve(server(rights, more))
  const element = <SignedIn page={<MerchantFeedbackPage />} />
  await draw(
    <>
      <Routes>
        <Route path="/merchant/feedback/:id" element={element} />
      </Routes>
      <Toaster />
    </>,
    `/merchant/feedback/${id}`,
  )
}

const toast = () => find('.toast')?.textContent
const isRefused = (words: string) => button(words)?.getAttribute('aria-disabled') === 'true'
const confirm = async () => {
  await act(async () => all('dialog.dialog button').at(-1)?.click())
  await settle()
}
async function key(label: string, name: string, more: KeyboardEventInit = {}) {
  const pressed = new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...more })
  await act(async () => void field(label).dispatchEvent(pressed))
  await settle()
}

class Observer {
  observe() {}
  disconnect() {}
}

// Loaded on demand; the tests are about what it does then.
beforeAll(() => import('./replies-picker.tsx'))
beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', Observer)
  sessionStorage.clear()
  notes = []
  replies = []
  others = []
  standing = {}
  useDevice.setState({ ...useDevice.getInitialState(), width: 1440, height: 900 }, true)
  acceptMeta(sampleMeta)
})
afterEach(async () => {
  await leave()
  vi.useRealTimers()
})

describe('notes among operators', () => {
  test('who noted what, with the plain word that the person doesn’t see it, apart from the reply', async () => {
    notes = [note('用户是老客户'), note('已联系仓库', me)]
    await open()
    expect(all('.note-item p').map((each) => each.textContent)).toEqual(['用户是老客户', '已联系仓库'])
    expect(find('.notes')?.textContent).toContain('仅客服可见，用户看不到')
    expect(find('.note-top b')?.textContent).toBe('陈晨')
    expect(find('.notes .compose')).toBeNull()
    expect(find('.chat .notes')).toBeNull()
  })
  test('where there is no room beside it they are folded under the head, the newest in sight', async () => {
    notes = [note('第一条'), note('第二条')]
    useDevice.setState({ width: 1280 })
    await open()
    expect(find('.chat > .notes.fold .notes-unfold')?.textContent).toBe('内部备注2第二条')
    expect(all('.notes')).toHaveLength(1)
  })
  test('adding: blank isn’t sent, Ctrl+Enter adds, trimmed, under a key, and the list has it', async () => {
    const added = (input: Record<string, unknown>) => {
      notes = [{ ...note(String(input.text), me), id: String(input.key) }]
      return notes[0]
    }
    await open({ '/api/merchant/feedback/addNote': added })
    await type('备注内容', ' \n ')
    await press('添加备注')
    expect(inputsOf('/api/merchant/feedback/addNote')).toEqual([])
    await type('备注内容', ' 已联系仓库 ')
    await key('备注内容', 'Enter')
    expect(inputsOf('/api/merchant/feedback/addNote')).toEqual([])
    await key('备注内容', 'Enter', { ctrlKey: true })
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(inputsOf('/api/merchant/feedback/addNote')).toEqual([{ id, text: '已联系仓库', key: uuid }])
    expect([field('备注内容').value, find('.note-item p')?.textContent]).toEqual(['', '已联系仓库'])
  })
  test('one that couldn’t be added stays, also over a reload, and again means the same key', async () => {
    await open({ '/api/merchant/feedback/addNote': failing('NOTES_FULL', '备注已达 200 条') })
    await type('备注内容', '写到一半')
    await press('添加备注')
    expect([toast(), field('备注内容').value]).toEqual(['备注已达 200 条', '写到一半'])
    const [first] = inputsOf('/api/merchant/feedback/addNote')
    await open({ '/api/merchant/feedback/addNote': () => note('写到一半', me) })
    expect(field('备注内容').value).toBe('写到一半')
    await press('添加备注')
    expect(inputsOf('/api/merchant/feedback/addNote')).toEqual([first])
  })
  test('only the own can be removed, and only after a question', async () => {
    notes = [note('别人的'), note('我的', me)]
    const removed = () => {
      notes = notes.slice(0, 1)
      return null
    }
    await open({ '/api/merchant/feedback/removeNote': removed })
    expect(all('[aria-label="删除备注"]')).toHaveLength(1)
    await press('删除备注')
    expect(inputsOf('/api/merchant/feedback/removeNote')).toEqual([])
    await confirm()
    expect(inputsOf('/api/merchant/feedback/removeNote')).toEqual([{ id, note: '我的' }])
    expect([toast(), all('.note-item').length]).toEqual(['已删除备注', 1])
  })
  test('without WRITE they are read, and the button says why it can’t be pressed', async () => {
    notes = [note('我的', me)]
    await open({}, ['READ'])
    expect(find('.note-item p')?.textContent).toBe('我的')
    expect([button('删除备注'), find('.notes textarea')]).toEqual([undefined, null])
    expect([button('添加备注')?.title, isRefused('添加备注')]).toEqual(['没有权限执行此操作', true])
  })
  test('none yet and trouble are said', async () => {
    await open()
    expect(find('.notes')?.textContent).toContain('还没有备注')
    await open({ '/api/merchant/feedback/notes': failing('SERVICE_BUSY', '服务繁忙') })
    expect([find('.notes-none')?.textContent, button('重试') !== undefined]).toEqual(['服务繁忙重试', true])
  })
})

const shipping = { id: 'a', title: '催发货', text: '已为您催促仓库，预计今天发出。' }
const refund = { id: 'b', title: '退款', text: '退款将在 3 个工作日内原路退回。' }
const offered = () => all('[role=option] b').map((each) => each.textContent)
const marked = () => find('[role=option][aria-selected=true] b')?.textContent
const search = '搜索标题或内容'

describe('answers kept ready', () => {
  beforeEach(() => {
    replies = [shipping, refund]
  })
  test('keys alone: a slash opens, arrows go round, Enter inserts in place of the slash and sends nothing', async () => {
    await open()
    await type('回复内容', '/')
    expect([offered(), marked()]).toEqual([['催发货', '退款'], '催发货'])
    await key(search, 'ArrowUp')
    expect(marked()).toBe('退款')
    await key(search, 'Enter')
    expect(field('回复内容').value).toBe(refund.text)
    expect([find('dialog.replies'), inputsOf('/api/merchant/feedback/send')]).toEqual([null, []])
    expect(document.activeElement).toBe(field('回复内容'))
  })
  test('looks in titles and texts, and says when there is nothing', async () => {
    await open()
    await press('快捷回复')
    await type(search, '仓库')
    expect(offered()).toEqual(['催发货'])
    await type(search, '发票')
    expect([offered(), shownText().includes('没有找到相关的快捷回复')]).toEqual([[], true])
  })
  test('inserts at the cursor, in place of what is marked', async () => {
    await open()
    await type('回复内容', '您好，…谢谢')
    field('回复内容').setSelectionRange(3, 4)
    await press('快捷回复')
    await act(async () => all('[role=option]')[1]?.click())
    await settle()
    const area = field('回复内容')
    expect(area.value).toBe(`您好，${refund.text}谢谢`)
    expect(area.selectionStart).toBe(3 + refund.text.length)
  })
  test('a slash in the middle, or one that was there before, opens nothing', async () => {
    await open()
    await type('回复内容', '11')
    await type('回复内容', '11/')
    expect(find('dialog.replies')).toBeNull()
    await type('回复内容', '')
    await type('回复内容', '、')
    expect(find('dialog.replies')).not.toBeNull()
  })
  test('a lone slash is no draft, is not reported as writing, and goes with the picker', async () => {
    await open()
    await type('回复内容', '/')
    expect([find('dialog.replies') !== null, button('存为快捷回复')]).toEqual([true, undefined])
    expect(inputsOf('/api/merchant/feedback/answering').filter(({ writing }) => writing)).toEqual([])
    await press('关闭')
    expect([find('dialog.replies'), field('回复内容').value]).toEqual([null, ''])
    await type('回复内容', '您好')
    await press('快捷回复')
    await press('关闭')
    expect(field('回复内容').value).toBe('您好')
  })
  test('the present draft is kept as one, under a title', async () => {
    await open({ '/api/merchant/replies/save': ({ title, text }) => ({ id: 'n', title, text }) })
    await type('回复内容', ' 稍后给您答复 ')
    await press('快捷回复')
    await press('存为快捷回复')
    await press('保存')
    expect([shownText().includes('请输入标题'), inputsOf('/api/merchant/replies/save')]).toEqual([true, []])
    await type('标题', '稍后')
    await press('保存')
    const key = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(inputsOf('/api/merchant/replies/save')).toEqual([{ title: '稍后', text: '稍后给您答复', key }])
    expect([toast(), field('回复内容').value]).toEqual(['修改成功', ' 稍后给您答复 '])
  })
  test('a new one whose answer was lost is saved under the same key, and changed to what was written since then', async () => {
    const kept = { id: 'n', title: '稍后', text: '稍后给您答复' }
    const lost = failing('SERVICE_BUSY', '服务繁忙')
    let tries = 0
    // The first was stored although its answer was lost.
    await open({
      '/api/merchant/replies/save': (input) => {
        tries += 1
        return tries === 1 ? lost() : input.id ? input : kept
      },
    })
    await type('回复内容', '稍后给您答复')
    await press('快捷回复')
    await press('存为快捷回复')
    await type('标题', '稍后')
    await press('保存')
    await type('内容', '一小时内给您答复')
    await press('保存')
    const [first, again, change] = inputsOf('/api/merchant/replies/save')
    expect([tries, again?.key]).toEqual([3, first?.key])
    expect(change).toEqual({ id: 'n', title: '稍后', text: '一小时内给您答复' })
  })
  test('管理 changes one and removes one after a question; a refusal is said where it happened', async () => {
    const removed = () => {
      replies = [refund]
      return null
    }
    const full = failing('REPLIES_FULL', '快捷回复已达 100 条')
    await open({ '/api/merchant/replies/save': full, '/api/merchant/replies/remove': removed })
    await press('快捷回复')
    await press('管理')
    await press('修改「退款」')
    expect([field('标题').value, field('内容').value]).toEqual([refund.title, refund.text])
    await type('内容', '改过的')
    await press('保存')
    expect(inputsOf('/api/merchant/replies/save')).toEqual([{ ...refund, text: '改过的' }])
    expect(find('.replies-form .error')?.textContent).toBe('快捷回复已达 100 条')
    await press('返回')
    await press('删除「催发货」')
    expect(inputsOf('/api/merchant/replies/remove')).toEqual([])
    await confirm()
    expect(inputsOf('/api/merchant/replies/remove')).toEqual([{ id: 'a' }])
    expect([all('.replies-list li').length, toast()]).toEqual([1, '已删除快捷回复'])
  })
  test('none yet: what it is for, and a way to begin', async () => {
    replies = []
    await open()
    await press('快捷回复')
    expect(shownText()).toContain('把常用的答复存在这里')
    await press('新增快捷回复')
    expect(field('标题')).toBeDefined()
  })
  test('without WRITE they are read; nothing is inserted or changed', async () => {
    await open({}, ['READ'])
    await press('快捷回复')
    await key(search, 'Enter')
    expect([field('回复内容').value, toast()]).toEqual(['', '没有权限执行此操作'])
    expect([isRefused('管理'), button('存为快捷回复')]).toEqual([true, undefined])
  })
})

const line = () => find('.answering')?.textContent
const told = () => inputsOf('/api/merchant/feedback/answering').map(({ writing }) => writing)
const pass = (milliseconds: number) => act(async () => void (await vi.advanceTimersByTimeAsync(milliseconds)))

describe('who is answering', () => {
  test.each([
    [[], ''],
    [['陈晨'], '陈晨 正在回复'],
    [['陈晨', '李雷'], '陈晨、李雷 正在回复'],
    [['陈晨', null, '韩梅'], '陈晨、其他客服 等 3 人正在回复'],
  ])('%o: %s', async (names, words) => {
    others = names.map((name, at) => ({ id: String(at), name }))
    await open()
    expect([line(), find('.answering')?.getAttribute('aria-live')]).toEqual([words, 'polite'])
  })
  test('writing is said at once, again every 8 s, and no longer 10 s after the last key', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    await open()
    expect(told()).toEqual([undefined])
    await type('回复内容', '您')
    await type('回复内容', '您好')
    expect(told()).toEqual([undefined, true])
    await pass(8_050)
    expect(told()).toEqual([undefined, true, true])
    await pass(2_000)
    expect(told().at(-1)).toBe(false)
    // From then on it only hears: another tab may be writing.
    await pass(8_050)
    expect(told().at(-1)).toBe(undefined)
  })
  test('emptied, sent or left it is no longer said; a draft that was found on opening isn’t writing', async () => {
    await open({ '/api/merchant/feedback/send': () => ({ id, seq: 2, status: 2 }) })
    await type('回复内容', '您')
    await type('回复内容', '')
    expect(told()).toEqual([undefined, true, false])
    others = [colleague]
    await type('回复内容', '您好')
    expect(line()).toBe('陈晨 正在回复')
    await press('发送')
    expect([inputsOf('/api/merchant/feedback/send').length, told().includes(false)]).toEqual([1, true])
    await type('回复内容', '还有')
    expect(told().at(-1)).toBe(true)
    await leave()
    expect(told().at(-1)).toBe(false)
    await open()
    expect([field('回复内容').value, told()]).toEqual(['还有', [undefined]])
  })
  test('a store that is away tells nothing, and says nothing wrong', async () => {
    others = [colleague]
    await open({ '/api/merchant/feedback/answering': failing('SERVICE_BUSY', '服务繁忙') })
    expect([line(), find('.toast.bad')]).toEqual(['', null])
  })
})

test('a rating stands with its words where it is closed, and as a star in the list', async () => {
  standing = { status: 4, rating: { score: 4, words: '回复很快', time: 0 } }
  await open()
  expect(find('.chat .rating-given')?.textContent).toContain('回复很快')
  expect(find('.chat .rating-given [role=img]')?.getAttribute('aria-label')).toBe('4 星，满意')
  expect(find('.items .item-rated')?.textContent).toBe('4')
  standing = { status: 4 }
  await open()
  expect([find('.rating-given'), find('.item-rated')]).toEqual([null, null])
})
