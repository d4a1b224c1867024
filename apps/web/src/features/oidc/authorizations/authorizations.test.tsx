// @vitest-environment happy-dom
import type { Authorization } from '@hufu/contract/oidc'
import { beforeEach, expect, test } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { whenZhCN } from '../../../lib/time/when.text.zh-CN.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import {
  type Answers,
  alertText,
  all,
  button,
  draw,
  failing,
  find,
  inputsOf,
  leave,
  press,
  serve,
  shownText,
} from '../../../test/page.tsx'
import { sampleMeta, sampleUser } from '../../../test/samples.ts'
import { scopesZhCN } from '../scopes.text.zh-CN.ts'
import { authorizationsZhCN } from './authorizations.text.zh-CN.ts'
import AuthorizationsPage from './authorizations-page.tsx'
import { lastUsedWords } from './last-used.ts'

const list = '/api/user/authorization/list'
const revoke = '/api/user/authorization/revoke'
const day = 86_400_000
const client = (id: string, name: string, firstParty = false) => ({
  id,
  name,
  logo: null,
  host: `${id}.example`,
  firstParty,
  privacy: null,
})
const book = (): Authorization => ({
  client: client('haifeng', '海风书店'),
  scopes: ['profile', 'phone', 'email'],
  since: new Date(2026, 2, 15, 12).getTime(),
  lastUsed: Date.now() - 130 * day,
})
const mall = (): Authorization => ({
  client: client('mall', '青屿商城', true),
  scopes: [],
  since: new Date(2025, 11, 2, 12).getTime(),
  lastUsed: Date.now(),
})

async function open(data: Authorization[], answers: Answers = {}) {
  serve({
    '/api/user/info': () => sampleUser,
    [list]: () => ({ data: [...data] }),
    [revoke]: ({ client: id }) => {
      data.splice(
        data.findIndex((each) => each.client.id === id),
        1,
      )
      return {}
    },
    ...answers,
  })
  await draw(<AuthorizationsPage />, '/user/authorizations')
}
const cards = () => all('.authorization')

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

test('D247 each client with what it learns, since when and when last; one long unused is marked', async () => {
  await open([book(), mall()])
  expect([find('h1')?.textContent, document.title]).toEqual(['授权管理', '授权管理'])
  expect(shownText()).toContain('您曾用青屿生活账号登录以下网站')
  const [first, second] = cards()
  expect(first?.textContent).toContain('海风书店haifeng.example')
  expect([...(first?.querySelectorAll('li') ?? [])].map((each) => each.textContent)).toEqual([
    '昵称和头像',
    '手机号',
    '邮箱',
  ])
  expect(first?.querySelector('dl')?.textContent).toBe('授权时间2026 年 3 月 15 日最近使用久未使用4 个月前')
  expect(second?.querySelector('li')?.textContent).toBe('仅用于登录')
  expect(second?.textContent).not.toContain('久未使用')
})

test('D247 the words of the last use', () => {
  const text = { list: authorizationsZhCN, scopes: scopesZhCN, when: whenZhCN }
  const now = new Date(2026, 10, 18, 18, 0).getTime()
  const words = (time: Date) => lastUsedWords(time.getTime(), now, text)
  expect(words(new Date(2026, 10, 18, 9, 20))).toBe('今天 09:20')
  expect(words(new Date(2026, 10, 17, 21, 4))).toBe('昨天 21:04')
  expect(words(new Date(2026, 10, 12))).toBe('11 月 12 日')
  expect(words(new Date(now - 90 * day))).toBe('3 个月前')
  expect(words(new Date(now - 89 * day))).toBe('8 月 21 日')
  expect(words(new Date(now - 800 * day))).toBe('2 年前')
})

test('D248 解除授权 says what follows, asks first and takes the client off the list', async () => {
  await open([book(), mall()])
  await press('解除授权：海风书店')
  expect([find('dialog h2')?.textContent, document.activeElement?.textContent]).toEqual([
    '解除对海风书店的授权？',
    '取消',
  ])
  expect(all('.revoke-rules li').map((each) => each.textContent)).toEqual([
    '下次用本账号登录该网站，需要重新授权',
    '它不能再获取您的昵称、头像、手机号和邮箱',
    '已提供给它的信息不会自动删除，如需删除请联系该网站',
  ])
  await press('取消')
  expect([find('dialog'), inputsOf(revoke)]).toEqual([null, []])
  await press('解除授权：海风书店')
  await press('解除授权')
  expect(inputsOf(revoke)).toEqual([{ client: 'haifeng' }])
  expect([find('dialog'), cards().length, shownText().includes('海风书店')]).toEqual([null, 1, false])
  expect(document.activeElement).toBe(find('ul.authorizations'))
})

test('D248 the last one leaves the empty list; our own sites are described as such', async () => {
  await open([mall()])
  await press('解除授权：青屿商城')
  expect(all('.revoke-rules li').map((each) => each.textContent)[0]).toBe('您会在该网站退出登录，下次需要重新登录')
  expect(shownText()).toContain('它不能再识别您的账号')
  await press('解除授权')
  expect(shownText()).toContain('没有授权的网站')
})

test('D248 a refusal is shown in the sheet, which stays', async () => {
  await open([book()], { [revoke]: failing('SERVICE_BUSY', '服务繁忙') })
  await press('解除授权：海风书店')
  await press('解除授权')
  expect([alertText(), find('dialog') !== null, cards().length]).toEqual(['服务繁忙', true, 1])
})

test('D249 without a network the list can be asked for again', async () => {
  await open([], { [list]: () => Promise.reject(new TypeError('Failed to fetch')) })
  expect(shownText()).toContain('网络异常，请稍后再试')
  serve({ '/api/user/info': () => sampleUser, [list]: () => ({ data: [mall()] }) })
  await press('重试')
  expect(button('解除授权：青屿商城')).toBeDefined()
})
