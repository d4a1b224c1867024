import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { fuzz } from '../../../../../tools/fuzz/fuzz.ts'
import { byteText, changed } from '../../../../../tools/fuzz/nasty.ts'
import { createLog } from '../../platform/log.ts'
import { createBreaker } from '../breaker.ts'
import { askAccessToken } from './access-token.ts'
import { exchangeCode } from './oauth.ts'
import { sendTemplate } from './template.ts'
import type { WechatDeps } from './wechat.ts'

let said = ''
const server = createServer((_, response) => response.end(Buffer.from(said, 'latin1'))).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const deps: WechatDeps = {
  // The breaker would open after five unreadable answers.
  breaker: createBreaker({ failures: Number.POSITIVE_INFINITY }),
  log: createLog({ logLevel: 'silent' }, { write: () => undefined }),
  config: { wechat: { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } },
}
const app = { appId: 'wx1', secret: 'geheim' }

const good = fc.constantFrom(
  '{"access_token":"t","expires_in":7200}',
  '{"access_token":"t","openid":"o","unionid":"u","is_snapshotuser":1}',
  '{"errcode":0,"errmsg":"ok","msgid":123456789012345678901}',
  '{"errcode":40029,"errmsg":"invalid code, rid: 1-2-3"}',
  '{"errcode":-1}',
)
const answers = fc.oneof(good, changed(good), fc.json({ maxDepth: 3 }), byteText)

fuzz(
  'wechat-answer',
  'whatever WeChat says is done, refused or unknown',
  answers,
  async (answer) => {
    said = answer
    const message = { openid: 'o', templateId: 't', clientMsgId: 'm', params: {} }
    const outcomes = await Promise.all([
      askAccessToken(deps, app),
      exchangeCode(deps, app, 'c'),
      sendTemplate(deps, 't', message),
    ])
    for (const outcome of outcomes) {
      expect(['done', 'refused', 'unknown']).toContain(outcome.kind)
      if (outcome.kind !== 'refused') continue
      expect(Number.isInteger(outcome.code) && outcome.code !== 0).toBe(true)
      expect(outcome.message.length).toBeLessThanOrEqual(200)
      expect(outcome.message).not.toMatch(/[\w-]{20}/)
    }
  },
  { share: 0.3 },
)
