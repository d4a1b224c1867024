// @vitest-environment happy-dom
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, draw, field, find, leave, press, settle, shownText } from '../../../test/page.tsx'
import { namePicture } from './config-picture.api.ts'
import { ConfigPictures } from './config-pictures.tsx'

const path = '/api/site/picture?id=8c41f0b2-0000-4000-8000-000000000000'
let config: Record<string, unknown>
let size = { width: 100, height: 100 }

/** As much of the browser's own as a sending uses; the test answers. */
class Sending {
  static all: Sending[] = []
  upload: { onprogress?: (event: { loaded: number; total: number }) => void } = {}
  onload?: () => void
  onloadend?: () => void
  status = 0
  response: unknown = null
  path = ''
  open = (_method: string, to: string) => {
    this.path = to
    Sending.all.push(this)
  }
  setRequestHeader = () => undefined
  send = () => undefined
  abort = () => this.onloadend?.()
  async answer(status: number, response: unknown) {
    Object.assign(this, { status, response })
    await act(async () => {
      this.onload?.()
      this.onloadend?.()
    })
    await settle()
  }
}

function Bench() {
  const [text, setText] = useState(JSON.stringify(config))
  config = JSON.parse(text)
  return (
    <ConfigPictures
      text={text}
      onChange={(key, named) => setText((now) => namePicture(now, key, named))}
      onClose={() => undefined}
    />
  )
}

beforeEach(() => {
  size = { width: 100, height: 100 }
  Sending.all = []
  config = { name: '青屿生活', bg: '/images/own.jpg', icp: 'x' }
  vi.stubGlobal('XMLHttpRequest', Sending)
  vi.stubGlobal(
    'Image',
    class {
      src = ''
      naturalWidth = size.width
      naturalHeight = size.height
      decode = () => Promise.resolve()
    },
  )
})
afterEach(async () => {
  await leave()
  vi.unstubAllGlobals()
})

async function choose(slot: string, file: File) {
  const input = field(slot)
  Object.defineProperty(input, 'files', { value: [file], configurable: true })
  await act(async () => void input.dispatchEvent(new Event('change', { bubbles: true })))
  await settle()
}

const png = (bytes = 3, type = 'image/png') => new File([new Uint8Array(bytes)], 'a.png', { type })

test.each([
  ['方形图标', 'logoIcon', 'logo'],
  ['横向标志', 'logoImage', 'logo'],
  ['背景', 'bg', 'background'],
  ['竖屏背景', 'vbg', 'background'],
])('%s is handed over and named in the text', async (slot, key, call) => {
  await draw(<Bench />)
  await choose(slot, png())
  expect(Sending.all.map((each) => each.path)).toEqual([`/api/merchant/config/${call}`])
  await act(async () => Sending.all[0]?.upload.onprogress?.({ loaded: 1, total: 4 }))
  expect(shownText()).toContain('正在上传 25%')
  await Sending.all[0]?.answer(200, { data: { path } })
  expect(config).toEqual({ name: '青屿生活', bg: '/images/own.jpg', icp: 'x', [key]: path })
  expect(find(`.brand-picture-shown.${key} img`)?.getAttribute('src')).toBe(path)
})

test('a picture keeps the place of the former one in the text, and goes without a trace', async () => {
  expect(namePicture('{"a":1,"bg":"/x.png","b":2}', 'bg', '/y.png')).toBe(
    '{\n  "a": 1,\n  "bg": "/y.png",\n  "b": 2\n}',
  )
  await draw(<Bench />)
  await press('移除背景')
  expect(config).toEqual({ name: '青屿生活', icp: 'x' })
  expect(button('移除背景')).toBeUndefined()
})

test('two sent at once are both named', async () => {
  await draw(<Bench />)
  await choose('方形图标', png())
  await choose('竖屏背景', png())
  await Sending.all[1]?.answer(200, { data: { path: '/b' } })
  await Sending.all[0]?.answer(200, { data: { path: '/a' } })
  expect(config).toMatchObject({ logoIcon: '/a', vbg: '/b' })
})

test.each([
  ['of another kind', png(3, 'image/gif'), { width: 1, height: 1 }, '请选择 JPEG、PNG 或 WebP 格式的图片'],
  ['of too many bytes', png(5 * 1024 * 1024 + 1), { width: 1, height: 1 }, '图片过大'],
  ['of too many pixels', png(), { width: 4_001, height: 4_000 }, '图片过大'],
])('one %s is refused before it is sent', async (_kind, file, pixels, sentence) => {
  size = pixels
  await draw(<Bench />)
  await choose('方形图标', file)
  expect(shownText()).toContain(sentence)
  expect(Sending.all).toEqual([])
})

test('what the server refuses is told, and the text stays', async () => {
  await draw(<Bench />)
  await choose('背景', png())
  await Sending.all[0]?.answer(400, { code: 'IMAGE_INVALID', message: '请选择 JPEG、PNG 或 WebP 格式的图片' })
  expect(shownText()).toContain('请选择 JPEG、PNG 或 WebP 格式的图片')
  expect(config.bg).toBe('/images/own.jpg')
})
