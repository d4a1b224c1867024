// @vitest-environment happy-dom
import { act } from 'react'
import { Route, Routes } from 'react-router'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SignedIn } from '../../app/signed-in.tsx'
import { useDevice } from '../../lib/device/device.ts'
import { acceptMeta } from '../../site/site.store.ts'
import {
  type Answers,
  all,
  currentAddress,
  draw,
  find,
  leave,
  press,
  Refusal,
  serve,
  shownText,
} from '../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../test/samples.ts'
import AiPage from './ai-page.tsx'

const asked: string[] = []
const operator: Answers = { '/api/user/info': () => ({ ...sampleUser, permission: { MERCHANT: ['READ'] } }) }

async function open(served: Answers = operator, address = '/merchant/ai') {
  serve(served)
  const answer = globalThis.fetch
  asked.length = 0
  globalThis.fetch = (path, request) => {
    asked.push(String(path))
    return answer(path, request)
  }
  await draw(
    <Routes>
      <Route path="*" element={<SignedIn page={<AiPage />} />} />
    </Routes>,
    address,
  )
}
const tabs = () => all('[role=tab]')
const chosen = () => tabs().filter((tab) => tab.getAttribute('aria-selected') === 'true')
const panel = () => find('[role=tabpanel]')
async function key(name: string) {
  await act(async () =>
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true })),
  )
}

beforeEach(() => {
  useDevice.setState({ ...useDevice.getInitialState(), width: 1280, height: 800 }, true)
  acceptMeta(sampleMeta)
})
afterEach(leave)

test('S065 S172 the page AI管理 has exactly two tabs, AI聊天 and 配置', async () => {
  await open()
  expect(find('h1')?.textContent).toBe('AI管理')
  expect(tabs().map((tab) => tab.textContent)).toEqual(['AI聊天', '配置'])
  expect(chosen().map((tab) => tab.textContent)).toEqual(['AI聊天'])
})
test('S173 both are empty: nothing to type into, no call', async () => {
  await open()
  expect(panel()?.textContent).toBe('AI 聊天尚未开放')
  await press('配置')
  expect(panel()?.textContent).toBe('暂无可配置的内容')
  expect(all('main input, main textarea, main select, [role=tabpanel] button')).toHaveLength(0)
  expect(asked.filter((path) => path !== '/api/user/info')).toEqual([])
})
test('S344 a visitor is asked to sign in; a user without READ sees no tabs', async () => {
  await open({
    '/api/user/info': () => {
      throw new Refusal('NOT_LOGGED_IN')
    },
  })
  expect([shownText().includes('请先登录'), tabs()]).toEqual([true, []])
  await open({ '/api/user/info': () => sampleUser })
  expect([shownText().includes('无权限访问'), tabs()]).toEqual([true, []])
})
test('the address keeps the tab and whatever else it says; an unknown one is the first', async () => {
  await open(operator, '/merchant/ai?from=home')
  await press('配置')
  expect(currentAddress()).toBe('/merchant/ai?from=home&tab=config')
  await press('AI聊天')
  expect(currentAddress()).toBe('/merchant/ai?from=home')
  await open(operator, '/merchant/ai?tab=config')
  expect(chosen().map((tab) => tab.textContent)).toEqual(['配置'])
  await open(operator, '/merchant/ai?tab=else')
  expect(chosen().map((tab) => tab.textContent)).toEqual(['AI聊天'])
})
test('arrow keys go round, home and end lead to the ends; one tab is in the order of focus, and names its panel', async () => {
  await open()
  tabs()[0]?.focus()
  for (const [name, label] of [
    ['ArrowRight', '配置'],
    ['ArrowRight', 'AI聊天'],
    ['ArrowLeft', '配置'],
    ['Home', 'AI聊天'],
    ['End', '配置'],
    ['x', '配置'],
  ] as const) {
    await key(name)
    expect([document.activeElement?.textContent, chosen()[0]?.textContent]).toEqual([label, label])
  }
  expect(tabs().map((tab) => tab.tabIndex)).toEqual([-1, 0])
  expect(panel()?.getAttribute('aria-labelledby')).toBe(chosen()[0]?.id)
  expect(chosen()[0]?.getAttribute('aria-controls')).toBe(panel()?.id)
})
