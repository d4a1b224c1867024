// @vitest-environment happy-dom
import type { FeedbackEntry, FeedbackRating } from '@hufu/contract/feedback'
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
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import { Toaster } from '../../../ui/toast.tsx'
import MerchantFeedbackPage from '../desk/merchant-feedback-page.tsx'
import UserFeedbackPage from '../user-feedback-page.tsx'

const id = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const sent = { id, seq: 2, status: 0 }
let standing: { status?: number; rating?: FeedbackRating | null; entries?: Omit<FeedbackEntry, 'seq'>[] } = {}

function item() {
  const { entries = [{ role: 'user', message: '收不到通知', time: 0 }], ...rest } = standing
  const content = JSON.stringify(entries.map((entry, at) => ({ ...entry, seq: at + 1 })))
  const counts = { lastSeq: entries.length, userTexts: 1, merchantTexts: 0 }
  const nothing = {
    mobile: null,
    time: 0,
    more: false,
    waitingSince: null,
    unread: false,
    offered: false,
    rating: null,
  }
  return { id, status: 0, content, ...nothing, ...counts, ...rest }
}

function server(rights: string[], more: Answers): Answers {
  const list = () => ({ count: 1, data: [item()] })
  return {
    '/api/user/info': () => ({ ...sampleUser, permission: rights.length > 0 ? { MERCHANT: rights } : {} }),
    '/api/user/feedback/read': item,
    '/api/merchant/feedback/read': item,
    '/api/user/feedback/query': list,
    '/api/merchant/feedback/query': list,
    '/api/user/feedback/unread': () => ({ user: 0, merchant: 0 }),
    '/api/user/feedback/send': () => sent,
    '/api/merchant/feedback/send': () => sent,
    ...more,
  }
}

const page = (
  <>
    <Routes>
      {['/user/feedback', '/user/feedback/:id'].map((path) => (
        <Route key={path} path={path} element={<SignedIn page={<UserFeedbackPage />} />} />
      ))}
      <Route path="/merchant/feedback/:id" element={<SignedIn page={<MerchantFeedbackPage />} />} />
    </Routes>
    <Toaster />
  </>
)
async function asUser(more: Answers = {}) {
  serve(server([], more))
  await draw(page, `/user/feedback/${id}`)
}
async function asMerchant(rights = ['READ', 'WRITE']) {
  serve(server(rights, {}))
  await draw(page, `/merchant/feedback/${id}`)
}

/** Uploads as the server would take them, or as it does when told otherwise. */
class Upload {
  static all: Upload[] = []
  static holds = false
  static answers: (number: number) => [number, unknown] = (number) => [
    200,
    { data: { id: `picture-${number}`, width: 40, height: 30 } },
  ]
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {}
  onload?: () => void
  onloadend?: () => void
  status = 0
  response: unknown = null
  path = ''
  open = (_method: string, path: string) => {
    this.path = path
  }
  setRequestHeader = () => undefined
  abort = () => this.onloadend?.()
  send = () => {
    const number = Upload.all.push(this)
    if (!Upload.holds) setTimeout(() => this.answer(Upload.answers(number)))
  }
  answer([status, response]: [number, unknown]) {
    Object.assign(this, { status, response })
    this.onload?.()
    this.onloadend?.()
  }
}
const usual = Upload.answers

/** The browser's decoding, which isn't here. */
class Picture {
  src = ''
  naturalWidth = 40
  naturalHeight = 30
  static readable = true
  decode = () => (Picture.readable ? Promise.resolve() : Promise.reject(new Error('no picture')))
}

const png = (name = 'a.png') => new File(['x'], name, { type: 'image/png' })
const files = (many: number) => Array.from({ length: many }, (_, at) => png(`${at}.png`))
async function choose(...chosen: File[]) {
  const input = find<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('nothing to choose with')
  Object.defineProperty(input, 'files', { value: chosen, configurable: true })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await settle()
  await settle()
}

const toast = () => find('.toast')?.textContent
const error = () => find('.compose .error')?.textContent
const thumbs = () => all('.thumb').length
const sends = () => inputsOf('/api/user/feedback/send')
const has = (label: string) => find(`[aria-label="${label}"]`) !== null

// Loaded on demand; the tests are about what they do then.
beforeAll(() => Promise.all([import('./pictures-file.ts'), import('./pictures-viewer.tsx')]))
beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  vi.stubGlobal('XMLHttpRequest', Upload)
  vi.stubGlobal('Image', Picture)
  Object.assign(Upload, { all: [], holds: false, answers: usual })
  Picture.readable = true
  standing = {}
  sessionStorage.clear()
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})
afterEach(async () => {
  await leave()
  vi.unstubAllGlobals()
})

describe('pictures to send', () => {
  test('chosen ones go up at once and are sent with the message, also without words', async () => {
    await asUser()
    await choose(png(), png())
    expect(Upload.all.map(({ path }) => path)).toEqual(Array(2).fill('/api/user/feedback/picture'))
    expect(all('.thumb img').map((each) => each.getAttribute('alt'))).toEqual(['图片 1/2', '图片 2/2'])
    await press('发送')
    const key = expect.any(String)
    expect(sends()).toEqual([{ id, message: '', key, pictures: ['picture-1', 'picture-2'] }])
    expect([toast(), thumbs()]).toEqual(['发送成功', 0])
    expect(sessionStorage).toHaveLength(0)
  })
  test('operators hand theirs over by their own call; without WRITE there is nothing to choose with', async () => {
    await asMerchant()
    await choose(png())
    expect(Upload.all.map(({ path }) => path)).toEqual(['/api/merchant/feedback/picture'])
    await press('发送')
    expect(inputsOf('/api/merchant/feedback/send')).toMatchObject([{ id, message: '', pictures: ['picture-1'] }])
    await asMerchant(['READ'])
    expect(button('添加图片')?.disabled).toBe(true)
  })
  test('six at most: the seventh is refused in a sentence, and so is another kind of file', async () => {
    await asUser()
    await choose(...files(7))
    expect([thumbs(), Upload.all.length, error()]).toEqual([6, 6, '每条消息最多 6 张图片，多出的未添加'])
    await press('移除图片 1')
    expect([thumbs(), error()]).toEqual([5, undefined])
    await choose(new File(['x'], 'a.gif', { type: 'image/gif' }))
    expect([thumbs(), Upload.all.length, error()]).toEqual([5, 6, '仅支持 JPG、PNG、WebP 格式的图片'])
  })
  test('what can’t be read, or can’t be made small enough, never goes up', async () => {
    Picture.readable = false
    await asUser()
    await choose(png())
    expect([thumbs(), error()]).toEqual([0, '无法读取该图片，请换一张'])
    Picture.readable = true
    await choose(new File([new Uint8Array(5 * 1024 * 1024 + 1)], 'a.png', { type: 'image/png' }))
    expect([thumbs(), error(), Upload.all.length]).toEqual([0, '图片过大，请换一张', 0])
    await press('发送')
    expect(sends()).toEqual([])
  })
  test('sending waits until they are up, then goes on by itself', async () => {
    Upload.holds = true
    await asUser()
    await type('反馈内容', '看图')
    await choose(png())
    await act(async () => Upload.all[0]?.upload.onprogress?.({ loaded: 1, total: 4 }))
    expect(find<HTMLProgressElement>('.thumb progress')?.value).toBe(0.25)
    await press('发送')
    expect([sends(), button('发送')?.getAttribute('aria-busy')]).toEqual([[], 'true'])
    await act(async () => Upload.all[0]?.answer(usual(1)))
    await settle()
    expect(sends()).toMatchObject([{ message: '看图', pictures: ['picture-1'] }])
  })
  test('one that fails again holds the message back until it is tried again or removed', async () => {
    Upload.answers = () => [429, { code: 'TOO_MANY_REQUESTS', message: '操作过于频繁，请稍后再试' }]
    await asUser()
    await type('反馈内容', '看图')
    await choose(png())
    expect(error()).toBe('操作过于频繁，请稍后再试')
    await press('发送')
    expect([sends(), toast()]).toEqual([[], '有图片未上传成功，请重试或移除'])
    Upload.answers = usual
    await press('重新上传图片 1')
    expect(error()).toBeUndefined()
    await press('发送')
    expect(sends()).toMatchObject([{ message: '看图', pictures: ['picture-3'] }])
  })
  test.each(['sending', 'being online again'])('%s tries one that failed again by itself', async (how) => {
    Upload.answers = () => [429, { code: 'TOO_MANY_REQUESTS', message: '操作过于频繁，请稍后再试' }]
    await asUser()
    await choose(png())
    Upload.answers = usual
    if (how !== 'sending') {
      await act(async () => void window.dispatchEvent(new Event('online')))
      await settle()
      expect([error(), Upload.all.length]).toEqual([undefined, 2])
    }
    await press('发送')
    await settle()
    expect([sends().map(({ pictures }) => pictures), Upload.all.length]).toEqual([[['picture-2']], 2])
  })
  test('they go up one after the other', async () => {
    Upload.holds = true
    await asUser()
    await choose(png(), png())
    expect(Upload.all).toHaveLength(1)
    await act(async () => Upload.all[0]?.answer(usual(1)))
    await settle()
    expect(Upload.all).toHaveLength(2)
  })
  test('a server that is busy for a moment is asked again by itself', async () => {
    Upload.answers = (number) =>
      number > 1 ? usual(number) : [503, { code: 'SERVICE_BUSY', message: '服务繁忙，请稍后再试' }]
    await asUser()
    await choose(png())
    expect([Upload.all.length, error()]).toEqual([1, undefined])
    await act(() => new Promise((resolve) => setTimeout(resolve, 1_050)))
    await press('发送')
    expect(sends()).toMatchObject([{ pictures: ['picture-2'] }])
  })
  test('after one is removed the focus is on the next, after the last where it is written', async () => {
    await asUser()
    await choose(...files(3))
    const focused = () => document.activeElement?.getAttribute('aria-label')
    await press('移除图片 2')
    expect([focused(), thumbs()]).toEqual(['移除图片 2', 2])
    await press('移除图片 2')
    expect(focused()).toBe('移除图片 1')
    await press('移除图片 1')
    expect([focused(), thumbs()]).toEqual(['反馈内容', 0])
  })
  test('on a phone a new one is lower while it has pictures', async () => {
    useDevice.setState({ width: 390, height: 844 })
    serve(server([], {}))
    await draw(page, '/user/feedback')
    const rows = () => find('.compose textarea')?.getAttribute('rows')
    expect(rows()).toBe('10')
    await choose(png())
    expect(rows()).toBe('4')
    await press('移除图片 1')
    expect(rows()).toBe('10')
  })
  test('those that the server has lost go up once more by themselves', async () => {
    let lost = 1
    const send = () => {
      if (lost-- > 0) throw new Refusal('PICTURE_GONE', '图片已失效，请重新选择')
      return sent
    }
    await asUser({ '/api/user/feedback/send': send })
    await choose(png())
    await press('发送')
    expect(sends().map(({ pictures }) => pictures)).toEqual([['picture-1'], ['picture-2']])
    expect(sends()[0]?.key).not.toBe(sends()[1]?.key)
    expect(toast()).toBe('发送成功')
  })
  test('but once alone; then it is told and they stay', async () => {
    await asUser({ '/api/user/feedback/send': failing('PICTURE_GONE', '图片已失效，请重新选择') })
    await choose(png())
    await press('发送')
    expect([sends().length, toast(), thumbs()]).toEqual([2, '图片已失效，请重新选择', 1])
  })
  test('D044 they outlive a reload, and a message tried again is the same one', async () => {
    await asUser({ '/api/user/feedback/send': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await type('反馈内容', '看图')
    await choose(png())
    await press('发送')
    const [first] = sends()
    await asUser()
    expect(find('.thumb img')?.getAttribute('src')).toBe('/api/feedback/picture?id=picture-1')
    await press('发送')
    expect([sends(), Upload.all.length]).toEqual([[first], 1])
  })
  test('one that is no longer anywhere says so, and can only be removed', async () => {
    await asUser()
    await choose(png())
    await asUser()
    await act(async () => void find('.thumb img')?.dispatchEvent(new Event('error')))
    expect([error(), has('重新上传图片 1')]).toEqual(['图片已失效，请移除后重新选择', false])
    await press('移除图片 1')
    expect([thumbs(), error()]).toEqual([0, undefined])
  })
  test('a copied picture is pasted as one, words stay words', async () => {
    await asUser()
    const paste = (types: string[]) => {
      const event = new Event('paste', { bubbles: true, cancelable: true })
      Object.assign(event, { clipboardData: { types, files: [png()] } })
      return act(async () => !field('反馈内容').dispatchEvent(event))
    }
    expect(await paste(['text/plain', 'Files'])).toBe(false)
    expect(await paste(['Files'])).toBe(true)
    await settle()
    expect(thumbs()).toBe(1)
  })
})

describe('pictures that were said', () => {
  const picture = (number: number) => ({ id: `p${number}`, width: 300, height: 600 })
  const three = [picture(1), picture(2), picture(3)]

  test('beside words, or alone without a bubble; their room is there before they are', async () => {
    standing.entries = [
      { role: 'user', message: '看图', time: 0, pictures: [picture(9)] },
      { role: 'merchant', message: '[图片]', time: 0, pictures: three },
      { role: 'user', message: '[图片]', time: 0 },
    ]
    await asUser()
    expect(all('.bubble').map((each) => each.textContent)).toEqual(['看图', '[图片]'])
    expect(all('.shot img').map((each) => each.getAttribute('alt'))).toEqual([
      '图片 1/1',
      '图片 1/3',
      '图片 2/3',
      '图片 3/3',
    ])
    expect(find('.said-pictures.one .shot')?.style.aspectRatio).toBe('300 / 600')
  })
  test('in the list a message of pictures alone is [图片]', async () => {
    standing.entries = [{ role: 'user', message: '[图片]', time: 0, pictures: three }]
    await asUser()
    expect(find('.item-words')?.textContent).toBe('[图片]')
  })
  test('a tap opens it over the page; keys go on, Esc and going back close it', async () => {
    standing.entries = [{ role: 'user', message: '[图片]', time: 0, pictures: three }]
    await asUser()
    await act(async () => all('.shot')[1]?.click())
    await settle()
    const count = () => find('.viewer-bar > span')?.textContent
    const key = (name: string) =>
      act(async () => void find('.viewer')?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })))
    expect(count()).toBe('图片 2/3')
    await key('ArrowRight')
    await key('ArrowRight')
    expect([count(), button('下一张')?.disabled]).toEqual(['图片 3/3', true])
    await press('上一张')
    expect(count()).toBe('图片 2/3')
    await act(async () => void find('.viewer')?.dispatchEvent(new Event('cancel')))
    await settle()
    expect([find('.viewer'), currentAddress()]).toEqual([null, `/user/feedback/${id}`])
  })
  test('one that doesn’t come says so, and is asked for again', async () => {
    standing.entries = [{ role: 'user', message: '[图片]', time: 0, pictures: [picture(1)] }]
    await asUser()
    await act(async () => void find('.shot img')?.dispatchEvent(new Event('error')))
    expect([has('图片加载失败'), find('.shot img')]).toEqual([true, null])
    await act(async () => find('.shot')?.click())
    await settle()
    await act(async () => void find('.viewer-slide img')?.dispatchEvent(new Event('error')))
    expect(find('.viewer-failed')?.textContent).toContain('图片加载失败')
    await press('重试')
    expect(has('正在加载图片')).toBe(true)
    await act(async () => void find('.viewer-slide img')?.dispatchEvent(new Event('load')))
    expect(has('正在加载图片')).toBe(false)
  })
})

describe('what the person thinks of it', () => {
  const rated = (score: number, words = '') => ({ score, words, time: 0 })
  const choice = (words: string) => find<HTMLInputElement>(`input[aria-label="${words}"]`)
  const pick = async (words: string) => {
    await act(async () => choice(words)?.click())
    await settle()
  }
  const rate = () => inputsOf('/api/user/feedback/rate')
  const answer = ({ score, words }: Record<string, unknown>) => {
    standing = { ...standing, rating: rated(Number(score), String(words)) }
    return standing.rating
  }

  test('is asked once it is closed, with a word for each star, and not before', async () => {
    await asUser()
    expect(has('评分')).toBe(false)
    standing = { status: 4 }
    await asUser()
    expect(all('.rate-choice input').map((each) => each.getAttribute('aria-label'))).toEqual([
      '1 星，很不满意',
      '2 星，不满意',
      '3 星，一般',
      '4 星，满意',
      '5 星，非常满意',
    ])
    expect([button('提交评价'), find('.ask a')?.getAttribute('href')]).toEqual([undefined, '/user/feedback'])
  })
  test('stars, and words where the user has some; then it stands there and can be changed', async () => {
    standing = { status: 4 }
    await asUser({ '/api/user/feedback/rate': answer })
    await pick('4 星，满意')
    await type('补充说明（选填）', ' 回复很快 ')
    await press('提交评价')
    expect([rate(), toast()]).toEqual([[{ id, score: 4, words: '回复很快' }], '感谢您的评价'])
    expect([has('4 星，满意'), shownText().includes('回复很快'), button('提交评价')]).toEqual([true, true, undefined])
    expect(document.activeElement).toBe(button('修改评价'))
    await press('修改评价')
    expect(document.activeElement).toBe(choice('4 星，满意'))
    expect([choice('4 星，满意')?.checked, field('补充说明（选填）').value]).toEqual([true, '回复很快'])
    await press('取消')
    expect(document.activeElement).toBe(button('修改评价'))
    await press('修改评价')
    await pick('2 星，不满意')
    await press('提交评价')
    expect(rate().at(-1)).toEqual({ id, score: 2, words: '回复很快' })
    expect(find('.rated')?.textContent).toBe('不满意')
  })
  test('a failure is told, and what was given stays', async () => {
    standing = { status: 4 }
    await asUser({ '/api/user/feedback/rate': failing('SERVICE_BUSY', '服务繁忙，请稍后再试') })
    await pick('1 星，很不满意')
    await press('提交评价')
    expect([toast(), choice('1 星，很不满意')?.checked]).toEqual(['服务繁忙，请稍后再试', true])
  })
  test('a conversation that was opened again meanwhile is shown as it is', async () => {
    standing = { status: 4 }
    await asUser({
      '/api/user/feedback/rate': () => {
        standing = { status: 2 }
        throw new Refusal('FEEDBACK_STATUS_CONFLICT', '该反馈的状态已变化，请查看最新内容后再操作')
      },
    })
    await pick('5 星，非常满意')
    await press('提交评价')
    expect([has('评分'), has('反馈内容')]).toEqual([false, true])
  })
})
