import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { addresses } from '../../../../../tools/fuzz/addresses.ts'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { readConfig } from './config.ts'

const complete = {
  HUFU_DATABASE_URL: 'postgres://hufu@127.0.0.1/hufu',
  HUFU_REDIS_URL: 'redis://127.0.0.1:6379',
  HUFU_KEYS: `1:${randomBytes(32).toString('base64')}`,
}
const names = [
  ...[
    'HUFU_DATABASE_URL',
    'HUFU_DATABASE_POOL',
    'HUFU_REDIS_URL',
    'HUFU_REDIS_CACHE_URL',
    'HUFU_KEYS',
    'HUFU_HOST',
    'HUFU_PORT',
  ],
  ...['HUFU_TRUSTED_PROXIES', 'HUFU_PROXY_HEADER', 'HUFU_INSECURE_HTTP', 'HUFU_ALIYUN_SMS_URL', 'HUFU_TENCENT_SMS_URL'],
  ...['HUFU_WECHAT_URL', 'HUFU_WECHAT_OPEN_URL', 'HUFU_WECHAT_PICTURES', 'HUFU_LOG_LEVEL', 'HUFU_MAX_CALLS'],
]
const value = fc.oneof(
  nastyText,
  addresses(['api.weixin.qq.com']),
  fc.constantFrom('0', '1', '-1', '1e3', '65536', ' 1', ''),
  longText,
)
const variables = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 })

fuzz(
  'environment',
  'an environment is read whole, or refused with the names of what is wrong',
  variables,
  (changes) => {
    const size = JSON.stringify(changes).length
    try {
      const config = quick(size, () => readConfig({ ...complete, ...changes }))
      expect(config.port).toBeGreaterThanOrEqual(0)
      expect(config.port).toBeLessThanOrEqual(65_535)
      expect(Number.isSafeInteger(config.databasePool) && config.databasePool >= 1).toBe(true)
      expect(config.insecureHttp).toBe(changes.HUFU_INSECURE_HTTP === '1')
      const { wechat, smsUrls } = config
      // A path is put behind them.
      for (const url of [wechat.apiUrl, wechat.openUrl, ...wechat.pictures, smsUrls.aliyun, smsUrls.tencent]) {
        expect(new URL(url).origin).toBe(url)
        expect(url).toMatch(/^https?:/)
      }
    } catch (error) {
      expect(String(error)).toMatch(/^Error: The environment isn't complete:\n {2}HUFU_/)
      expect(names.filter((name) => name in changes).some((name) => String(error).includes(name))).toBe(true)
    }
  },
)
