import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createLog } from '../../platform/log.ts'
import { createBreaker } from '../breaker.ts'
import { askAccessToken } from './access-token.ts'
import { exchangeCode } from './oauth.ts'
import { sendTemplate } from './template.ts'
import type { WechatDeps } from './wechat.ts'
import { refusalText, wechatErrorText } from './wechat-errors.ts'

const app = { appId: 'wx1', secret: 'secret' }
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** Calls that meet a server with answers of our own. */
async function meeting(answer: RequestListener, breaker = createBreaker()) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const lines: string[] = []
  const deps: WechatDeps = {
    breaker,
    log: createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }),
    config: { wechat: { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
    wechatTimeoutMs: 10_000,
  }
  return { deps, lines }
}

const saying = (text: string) => meeting((_, response) => response.end(text))

test.each([
  ['HTML', '<html>', 'UNREADABLE_ANSWER'],
  ['nothing', '', 'UNREADABLE_ANSWER'],
  ['another shape', '{"access_token":1}', 'UNREADABLE_ANSWER'],
  ['a list', '[]', 'UNREADABLE_ANSWER'],
  ['too much', `{"x":"${'a'.repeat(1_100_000)}"}`, 'ANSWER_TOO_LARGE'],
  ['that it is busy', '{"errcode":-1,"errmsg":"system error"}', 'SYSTEM_BUSY'],
])('an answer of %s is unknown', async (_, text, reason) => {
  const { deps } = await saying(text)
  expect(await askAccessToken(deps, app)).toEqual({ kind: 'unknown', reason })
})

test('a redirect and a failing server are unknown, and the secret goes nowhere else', async () => {
  const moved = await meeting((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
  expect(await askAccessToken(moved.deps, app)).toEqual({ kind: 'unknown', reason: 'HTTP_302' })
  const broken = await meeting((_, response) => response.writeHead(502).end('{"errcode":40013}'))
  expect(await askAccessToken(broken.deps, app)).toEqual({ kind: 'unknown', reason: 'HTTP_502' })
})

test('a body is sent in UTF-8 without escapes', async () => {
  let body = ''
  const { deps } = await meeting(async (request, response) => {
    for await (const chunk of request) body += chunk
    response.end('{"errcode":0,"errmsg":"ok","msgid":3428411849815982087}')
  })
  const message = { openid: 'o1', templateId: 't1', clientMsgId: 'c1', params: { thing1: '海盐香皂' } }
  const outcome = await sendTemplate(deps, 'token', message)
  expect(outcome).toEqual({ kind: 'done', data: { msgid: '3428411849815982087' } })
  expect(body).toBe('{"touser":"o1","template_id":"t1","client_msg_id":"c1","data":{"thing1":{"value":"海盐香皂"}}}')
})

test('nothing that WeChat repeats in a complaint goes further', async () => {
  const openid = 'oLVPpjqs9BhvzwPj5A-vTYAX3GLc'
  const complaint = { errcode: 40003, errmsg: `invalid openid ${openid} hint: [abc], rid: 5f6b-1234` }
  const { deps, lines } = await saying(JSON.stringify(complaint))
  const outcome = await exchangeCode(deps, app, 'code')
  expect(outcome).toEqual({ kind: 'refused', code: 40003, message: 'invalid openid ****' })
  expect(lines.join('')).toContain('40003')
  expect(lines.join('')).not.toMatch(/oLVPpjqs|rid|secret|code=/)
})

test('five failures in a row and WeChat is not asked any more', async () => {
  let calls = 0
  const { deps } = await meeting((_, response) => {
    calls++
    response.destroy()
  })
  for (let i = 0; i < 5; i++) await askAccessToken(deps, app)
  expect(await askAccessToken(deps, app)).toEqual({ kind: 'unknown', reason: 'BREAKER_OPEN' })
  expect(calls).toBe(5)
})

test('refusals do not shut the way to WeChat', async () => {
  const { deps } = await saying('{"errcode":40013,"errmsg":"invalid appid, rid: 1"}')
  for (let i = 0; i < 10; i++) await askAccessToken(deps, app)
  expect(await askAccessToken(deps, app)).toEqual({ kind: 'refused', code: 40013, message: 'invalid appid' })
})

test('known numbers have a sentence, unknown ones are shown', () => {
  expect(wechatErrorText(40164)).toMatch(/^服务器地址不在微信公众号的 IP 白名单中/)
  expect(wechatErrorText(99999)).toBe('微信拒绝了此操作（错误码 99999）')
  const words = 'argument invalid! data.character_string12.value invalid'
  expect(refusalText(47003, words)).toBe('模板参数 character_string12 的内容不符合要求：最多 32 个字符，不含中文')
  expect(refusalText(47003, 'argument invalid! data.keyword4.value invalid')).toBe('模板参数 keyword4 的内容不符合要求')
})
