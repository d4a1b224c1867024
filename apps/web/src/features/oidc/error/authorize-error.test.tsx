// @vitest-environment happy-dom
import { Route, Routes } from 'react-router'
import { beforeEach, expect, test } from 'vitest'
import { useDevice } from '../../../lib/device/device.ts'
import { acceptMeta } from '../../../site/site.store.ts'
import { all, draw, failing, find, leave, serve, shownText } from '../../../test/page.tsx'
import { sampleMeta } from '../../../test/samples.ts'
import AuthorizeErrorPage from './authorize-error-page.tsx'

async function open(path: string) {
  serve({ '/api/user/info': failing('NOT_LOGGED_IN', '') })
  await draw(
    <Routes>
      <Route path="/authorizeError/:code" element={<AuthorizeErrorPage />} />
    </Routes>,
    path,
  )
}
const facts = () => all('dd').map((each) => each.textContent)

beforeEach(async () => {
  await leave()
  useDevice.setState({ ...useDevice.getInitialState(), width: 390, height: 844 }, true)
  acceptMeta(sampleMeta)
})

test.each([
  ['invalid_client', '无法识别该网站', '联系网站管理员'],
  ['unauthorized_client', '该网站不能这样登录', '联系网站管理员'],
  ['invalid_redirect_uri', '返回地址未登记', '联系网站管理员'],
  ['invalid_request', '登录请求有误', '联系网站管理员'],
  ['invalid_scope', '登录请求有误', '联系网站管理员'],
  ['unsupported_response_type', '登录方式不受支持', '联系网站管理员'],
  ['session_not_found', '登录请求已失效', '重新点击登录'],
  ['expired', '登录请求已失效', '重新点击登录'],
  ['access_denied', '登录已取消', '重新点击登录'],
  ['server_error', '出了点问题', '稍后返回该网站重试'],
  ['temporarily_unavailable', '服务繁忙', '过一会儿返回该网站重试'],
  ['something_else', '登录没有完成', '联系网站管理员'],
  ['constructor', '登录没有完成', '联系网站管理员'],
])('D252 %s in words, what to do, and code and request for the administrator', async (code, title, next) => {
  await open(`/authorizeError/${code}?id=01JD2Q7X`)
  expect([find('h1')?.textContent, document.title]).toEqual([title, title])
  expect(find('.notice')?.textContent).toContain(next)
  expect(facts()).toEqual([code, '01JD2Q7X'])
  expect(find('a.btn')?.getAttribute('href')).toBe('/user')
})

test('D253 a link can put no words of its own on the page', async () => {
  await open(`/authorizeError/${encodeURIComponent('请拨打 400')}?id=${encodeURIComponent('或加微信 abc')}`)
  expect([facts(), find('h1')?.textContent]).toEqual([[], '登录没有完成'])
  expect(shownText()).not.toMatch(/400|微信/)
})
