// @vitest-environment happy-dom
import { EditorView } from '@codemirror/view'
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta, useSite } from '../../site/site.store.ts'
import {
  type Answers,
  all,
  button,
  currentAddress,
  draw,
  find,
  inputsOf,
  leave,
  press,
  Refusal,
  serve,
  settle,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import { Toaster } from '../../ui/toast.tsx'
import ConfigPage from './config-page.tsx'

const update = '/api/merchant/config/update'
const operator = { ...sampleUser, permission: { MERCHANT: ['READ', 'WRITE', 'ADMIN'] } }

let versions: object[]
beforeEach(() => {
  versions = [{ name: '青屿生活' }]
  sessionStorage.clear()
  acceptMeta(sampleMeta)
})
afterEach(() => leave())

const saved = (version: number) => ({ version, time: 1, by: '陈屿', restored: null })

function save({ config }: { config?: object }) {
  versions.push(config ?? {})
  return { version: versions.length }
}

const answers: Answers = {
  '/api/user/info': () => operator,
  '/api/meta': () => ({ ...sampleMeta, ...versions.at(-1) }),
  '/api/merchant/config/open': ({ version = versions.length }) => ({
    ...saved(Number(version)),
    config: versions[Number(version) - 1],
  }),
  '/api/merchant/config/history': () => ({
    count: versions.length,
    data: versions.map((_, at) => saved(versions.length - at)),
  }),
  '/api/merchant/config/schema': () => ({}),
  '/api/merchant/config/check': () => [],
  [update]: save,
}

async function open(more: Answers = {}) {
  serve({ ...answers, ...more })
  const page = <SignedIn page={<ConfigPage />} />
  await draw(
    <>
      <Toaster />
      <Routes>
        <Route path="/merchant/config" element={page} />
        <Route path="*" element={null} />
      </Routes>
    </>,
    '/merchant/config',
  )
  await act(async () => import('../../ui/json-editor/json-view.tsx').then(() => undefined))
  await settle()
}

function view(): EditorView {
  const inner = find('.json-host')?.shadowRoot?.querySelector<HTMLElement>('.cm-editor')
  const found = inner && EditorView.findFromDOM(inner)
  if (!found) throw new Error(`no editor in: ${shownText()}`)
  return found
}

const written = () => view().state.doc.toString()

async function write(config: string | object) {
  const insert = typeof config === 'string' ? config : JSON.stringify(config)
  await act(async () => view().dispatch({ changes: { from: 0, to: view().state.doc.length, insert } }))
  await settle()
}

/** One of the parts, of the pages to preview and so on. */
async function choose(label: string) {
  const option = all('.seg label').find((each) => each.textContent === label)
  await act(async () => option?.querySelector('input')?.click())
  await settle()
}

const toast = () => find('.toast')?.textContent

test('S066 S174 S175 the page 配置 shows the config as JSON and has 保存', async () => {
  await open()
  expect(shownText()).toContain('配置')
  expect(written()).toBe('{\n  "name": "青屿生活"\n}')
  expect(button('保存')).toBeDefined()
})

test('S345 a signed-out visitor is asked to sign in first', async () => {
  await open({
    '/api/user/info': () => {
      throw new Refusal('NOT_LOGGED_IN')
    },
  })
  expect(shownText()).toContain('请先登录')
  expect(inputsOf('/api/merchant/config/open')).toEqual([])
})

test('without READ the page says so and asks for nothing', async () => {
  await open({ '/api/user/info': () => ({ ...operator, permission: {} }) })
  expect(shownText()).toContain('无权限访问')
  expect(inputsOf('/api/merchant/config/open')).toEqual([])
})

test('S428 D005 saving shows the differences, then 修改成功 and the new name', async () => {
  await open()
  await write({ name: '白鹭书屋', more: 1 })
  await press('保存')
  expect(find('dialog del')?.textContent).toContain('青屿生活')
  expect(inputsOf(update)).toEqual([])
  await press('确认保存')
  expect(inputsOf(update)).toEqual([{ config: { name: '白鹭书屋', more: 1 }, basedOn: 1 }])
  expect(toast()).toBe('修改成功')
  expect(useSite.getState().name).toBe('白鹭书屋')
  expect(written()).toBe('{\n  "name": "白鹭书屋",\n  "more": 1\n}')
})

test.each(['{"name": ', '[1]', '"text"', '{"name": 1,}'])(
  'S319 S320 D047 %s is JSON格式错误 and nothing is sent',
  async (text) => {
    await open()
    await write(text)
    await press('保存')
    expect(toast()).toBe('JSON格式错误')
    expect(find('dialog')).toBeNull()
    expect([...inputsOf(update), ...inputsOf('/api/merchant/config/check').slice(1)]).toEqual([])
    expect(find('.json-foot')?.textContent).toContain('JSON格式错误：')
  },
)

test('D003 what the server would refuse is told and nothing is sent', async () => {
  const faults = [{ path: ['theme', 'primary'], message: '须为 #rrggbb 形式的颜色' }]
  await open({ '/api/merchant/config/check': ({ config }) => ('theme' in (config as object) ? faults : []) })
  await write({ theme: { primary: 'blue' } })
  await press('保存')
  expect(toast()).toBe('配置有误，请按提示修改')
  expect(find('.json-foot')?.textContent).toContain('须为 #rrggbb 形式的颜色')
  expect(inputsOf(update)).toEqual([])
})

test('S416 an error of the server is told in its own words, and the text stays', async () => {
  await open({
    [update]: () => {
      throw new Refusal('SERVICE_BUSY', '服务繁忙，请稍后再试')
    },
  })
  await write({ name: '白鹭书屋' })
  await press('保存')
  await press('确认保存')
  expect(toast()).toBe('服务繁忙，请稍后再试')
  expect(written()).toContain('白鹭书屋')
})

test('S416 a config that can’t be read is told in the server’s words', async () => {
  await open({
    '/api/merchant/config/open': () => {
      throw new Refusal('SERVICE_BUSY', '服务繁忙，请稍后再试')
    },
  })
  expect(toast()).toBe('服务繁忙，请稍后再试')
  expect(button('重试')).toBeDefined()
})

function conflict(): Answers {
  return {
    [update]: (input) => {
      if (input.basedOn !== versions.length) throw new Refusal('CONFIG_CONFLICT')
      return save(input)
    },
  }
}

test('D047 after another operator’s save both changes are shown, and going on keeps both', async () => {
  await open(conflict())
  await write({ name: '青屿生活', icp: '甲' })
  versions.push({ name: '青屿生活', police: '乙' })
  await press('保存')
  await press('确认保存')
  expect(shownText()).toContain('陈屿保存了第 2 版')
  expect(find('[aria-label="对方的修改"]')?.textContent).toContain('police')
  expect(find('[aria-label="您的修改"]')?.textContent).toContain('icp')
  await press('在最新版本上继续编辑')
  expect(JSON.parse(written())).toEqual({ name: '青屿生活', police: '乙', icp: '甲' })
  await press('保存')
  await press('确认保存')
  expect(inputsOf(update).at(-1)).toMatchObject({ basedOn: 2, config: { police: '乙', icp: '甲' } })
  expect(toast()).toBe('修改成功')
})

test('D047 or the newest is taken over as it is', async () => {
  await open(conflict())
  await write({ name: '甲' })
  versions.push({ name: '乙' })
  await press('保存')
  await press('确认保存')
  await press('使用最新版本')
  expect(JSON.parse(written())).toEqual({ name: '乙' })
  expect(shownText()).not.toContain('未保存的修改')
})

test('a check that is owed is asked for, and saving goes on when the page opens again', async () => {
  const owed: Answers = {
    [update]: () => {
      throw new Refusal('TWO_FACTOR_REQUIRED')
    },
  }
  await open(owed)
  await write({ name: '青屿生活', sources: ['https://a.example.com'] })
  await press('保存')
  await press('确认保存')
  expect(currentAddress()).toBe('/user/twoFactor/authorize')
  await open()
  expect(written()).toContain('https://a.example.com')
  expect(sessionStorage.length).toBe(0)
  expect(find('dialog ins')?.textContent).toContain('name')
  expect(inputsOf(update)).toEqual([])
  await press('确认保存')
  expect(inputsOf(update)).toMatchObject([{ basedOn: 1, config: { sources: ['https://a.example.com'] } }])
  expect(find('dialog')).toBeNull()
})

test('D011 without ADMIN the text can’t be changed and 保存 says why', async () => {
  await open({ '/api/user/info': () => ({ ...operator, permission: { MERCHANT: ['READ', 'WRITE'] } }) })
  expect(view().state.readOnly).toBe(true)
  await press('保存')
  expect(toast()).toBe('没有权限执行此操作')
  expect(button('格式化')).toBeUndefined()
})

test('pictures of the brand are chosen beside the text, by who may save it', async () => {
  await open()
  await press('品牌图片')
  expect(find('dialog')?.textContent).toContain('竖屏背景')
  await press('完成')
  await write('{"name": ')
  await press('品牌图片')
  expect(toast()).toBe('JSON格式错误')
  expect(find('dialog')).toBeNull()
  await open({ '/api/user/info': () => ({ ...operator, permission: { MERCHANT: ['READ', 'WRITE'] } }) })
  expect(button('品牌图片')?.getAttribute('aria-disabled')).toBe('true')
  await press('品牌图片')
  expect(toast()).toBe('没有权限执行此操作')
  expect(find('dialog')).toBeNull()
})

test('on phones one of 编辑, 预览 and 历史 is seen, on wide screens the editor and one of the others', async () => {
  const options = () => all('.bench-parts label').map((each) => each.textContent)
  useDevice.setState({ width: 1280, height: 800 })
  await open()
  expect(options()).toEqual(['预览', '历史'])
  expect(find('[aria-label="实时预览"]')).not.toBeNull()
  await act(async () => useDevice.setState({ width: 390, height: 844 }))
  expect(options()).toEqual(['编辑', '预览', '历史'])
  expect(find('[aria-label="实时预览"]')).toBeNull()
  await choose('预览')
  expect(find('[aria-label="实时预览"]')).not.toBeNull()
  expect(find('[aria-label="站点配置"]')?.parentElement?.hidden).toBe(true)
  useDevice.setState({ width: 1280, height: 800 })
})

test('nothing changed, nothing saved', async () => {
  await open()
  await write('{"name":"青屿生活"}')
  await press('保存')
  expect(toast()).toBe('没有需要保存的修改')
  expect(inputsOf(update)).toEqual([])
})

test('an earlier version is restored with one question', async () => {
  versions = [{ name: '旧名' }, { name: '青屿生活' }]
  const restore = '/api/merchant/config/restore'
  await open({ [restore]: () => save({ config: versions[0] ?? {} }) })
  await choose('历史')
  await press('恢复第 1 版')
  expect(find('dialog ins')?.textContent).toContain('旧名')
  await press('恢复')
  expect(inputsOf(restore)).toEqual([{ version: 1, basedOn: 2 }])
  expect(JSON.parse(written())).toEqual({ name: '旧名' })
})

test('the back button of a page that was opened by its address asks before unsaved changes are left', async () => {
  useDevice.setState({ width: 390, height: 844 })
  await open()
  await write({ name: '青屿' })
  await press('返回')
  expect(currentAddress()).toBe('/merchant/config')
  await press('离开')
  expect(currentAddress()).toBe('/merchant')
  useDevice.setState({ width: 1280, height: 800 })
})
