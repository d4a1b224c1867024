// @vitest-environment happy-dom
import type { SiteMeta } from '@hufu/contract/site'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  all,
  button,
  draw,
  failing,
  find,
  inputsOf,
  leave,
  press,
  serve,
  settle,
  shownText,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import { ConfigPreview } from './config-preview.tsx'
import type { PreviewView } from './config-preview-sizes.ts'
import type { ToPreview } from './preview-messages.ts'
import { useConfigPreview } from './use-config-preview.ts'

const path = '/api/merchant/config/preview'
let write: (text: string) => void

function Bench() {
  const [text, setText] = useState('{"name": "青屿生活"}')
  const [view, setView] = useState<PreviewView>({ path: '/login', screen: 'phone', dark: false })
  write = setText
  return <ConfigPreview previewing={useConfigPreview(text, true)} view={view} onView={setView} />
}

const told = ({ config }: { config?: unknown }): SiteMeta | null => {
  const { name } = config as { name?: string }
  return name === '' ? null : { ...sampleMeta, name: name ?? '账号中心' }
}

async function open(more: Answers = {}) {
  serve({ '/api/user/info': () => sampleUser, [path]: told, ...more })
  await draw(<Bench />)
}

async function writes(text: string) {
  await act(async () => write(text))
  await settle()
}

/** Stands for the document in the frame: what it is told, and its own words. */
let asked: ToPreview[]
let inside: Window

async function says(data: object, from: { origin?: string; source?: unknown } = {}) {
  const init = { data, origin: window.location.origin, source: inside, ...from } as unknown as MessageEventInit
  await act(async () => void window.dispatchEvent(new MessageEvent('message', init)))
}

const frame = () => find<HTMLIFrameElement>('iframe')

async function drawAll() {
  await says({ kind: 'preview-open' })
  await says({ kind: 'preview-drawn', number: asked.at(-1)?.number })
}

async function choose(label: string) {
  const option = all('.seg label').find((each) => each.textContent === label)
  await act(async () => option?.querySelector('input')?.click())
  await settle()
}

beforeEach(() => {
  acceptMeta(sampleMeta)
  useDevice.setState({ preference: { fontSize: 16 } })
  asked = []
  inside = { postMessage: (message: ToPreview) => asked.push(message) } as unknown as Window
  // It says at every frame that it loads none.
  vi.spyOn(console, 'error').mockImplementation((words) => {
    if (!String(words).includes('Iframe page loading')) throw words
  })
  vi.spyOn(HTMLIFrameElement.prototype, 'contentWindow', 'get').mockImplementation(() => inside as never)
})
afterEach(async () => {
  await leave()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('the frame is told what the text would make of the site, once it listens', async () => {
  await open()
  expect(frame()?.getAttribute('src')).toBe('/merchant/preview')
  expect(frame()?.title).toBe('登录页预览')
  expect(asked).toEqual([])
  await says({ kind: 'preview-open' })
  expect(asked.map(({ wish }) => wish)).toMatchObject([
    { path: '/login', meta: { name: '青屿生活' }, user: sampleUser, preference: { dark: false, fontSize: 16 } },
  ])
})

test('it is ready once the newest stands drawn, not when an older one does', async () => {
  await open()
  await drawAll()
  expect(frame()?.dataset.ready).toBe('true')
  await writes('{"name": "白鹭书屋"}')
  expect(frame()?.dataset.ready).toBe('false')
  await says({ kind: 'preview-drawn', number: 0 })
  expect(frame()?.dataset.ready).toBe('false')
  await says({ kind: 'preview-drawn', number: 1 })
  expect(frame()?.dataset.ready).toBe('true')
  expect(asked.map(({ wish }) => wish.meta.name)).toEqual(['青屿生活', '白鹭书屋'])
})

test('words from elsewhere are not heard', async () => {
  await open()
  await says({ kind: 'preview-open' }, { origin: 'https://evil.example' })
  await says({ kind: 'preview-open' }, { source: window })
  expect(asked).toEqual([])
})

test('page, screen and light are chosen without a new document', async () => {
  await open()
  await drawAll()
  const first = frame()
  await choose('用户中心')
  await choose('深色')
  await choose('电脑')
  expect(frame()).toBe(first)
  expect(frame()?.title).toBe('用户中心预览')
  expect(frame()?.style.width).toBe('1280px')
  expect(asked.at(-1)?.wish).toMatchObject({ path: '/user', preference: { dark: true, fontSize: 16 } })
})

test.each(['{"name": ', '{"name": ""}', '[1]'])(
  'while the text is %s the last good one stays, and a line says so',
  async (text) => {
    await open()
    await drawAll()
    await writes(text)
    expect(asked).toHaveLength(1)
    expect(frame()?.dataset.ready).toBe('true')
    expect(shownText()).toContain('当前内容有误，预览为最近一次正确的内容')
    await writes('{"name": "白鹭书屋"}')
    expect(shownText()).not.toContain('当前内容有误')
    expect(asked.at(-1)?.wish.meta.name).toBe('白鹭书屋')
  },
)

test('trouble is told with a way to try again', async () => {
  let broken = true
  const answer = (input: object) => (broken ? failing('SERVICE_BUSY', '服务繁忙')() : told(input))
  await open({ [path]: answer })
  expect(shownText()).toContain('服务繁忙')
  expect(frame()).toBeNull()
  broken = false
  await press('重试')
  expect(inputsOf(path)).toHaveLength(2)
  expect(frame()).not.toBeNull()
  expect(shownText()).not.toContain('服务繁忙')
})

test('a frame that never says a word is given up, and can be tried again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await open()
  const first = frame()
  await act(async () => vi.advanceTimersByTime(15_000))
  expect(shownText()).toContain('预览未能显示')
  await press('重试')
  expect(shownText()).not.toContain('预览未能显示')
  expect(frame()).not.toBe(first)
})

test('放大 shows it in a dialog of its own, and nowhere else meanwhile', async () => {
  await open()
  await drawAll()
  await press('放大')
  expect(find('dialog iframe')?.getAttribute('title')).toBe('登录页预览')
  expect(all('iframe')).toHaveLength(1)
  await press('关闭')
  expect(find('dialog')).toBeNull()
  expect(all('iframe')).toHaveLength(1)
  expect(button('放大')).toBeDefined()
})
