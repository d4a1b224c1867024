import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const complete = {
  HUFU_DATABASE_URL: 'postgres://hufu@127.0.0.1/hufu',
  HUFU_REDIS_URL: 'redis://127.0.0.1:6379',
  HUFU_KEYS: `1:${randomBytes(32).toString('base64')}`,
}

test('outside services are met at origins, behind which a path can be put', () => {
  const { smsUrls, wechat } = readConfig({ ...complete, HUFU_TENCENT_SMS_URL: 'http://127.0.0.1:81/' })
  expect(smsUrls).toEqual({ aliyun: 'https://dysmsapi.aliyuncs.com', tencent: 'http://127.0.0.1:81' })
  expect(wechat.apiUrl).toBe('https://api.weixin.qq.com')
})

test.each(['0', 'dysmsapi.aliyuncs.com', 'ftp://dysmsapi.aliyuncs.com', 'https://dysmsapi.aliyuncs.com/path'])(
  'what is no origin is named: %s',
  (url) => {
    expect(() => readConfig({ ...complete, HUFU_ALIYUN_SMS_URL: url })).toThrow(
      /^The environment isn't complete:\n {2}HUFU_ALIYUN_SMS_URL: /,
    )
  },
)

test.each(['0.0.0.0', '::', '10.0.0.5', 'id.example.com', '127.0.0.1.example.com'])(
  'plain HTTP is for one machine: with HUFU_HOST %s it is refused',
  (host) => {
    expect(() => readConfig({ ...complete, HUFU_INSECURE_HTTP: '1', HUFU_HOST: host })).toThrow(
      /^The environment isn't complete:\n {2}HUFU_INSECURE_HTTP: may be 1 only where HUFU_HOST is /,
    )
    expect(readConfig({ ...complete, HUFU_HOST: host }).insecureHttp).toBe(false)
  },
)

test.each(['127.0.0.1', '::1', 'localhost'])('plain HTTP on %s is for trials', (host) => {
  expect(readConfig({ ...complete, HUFU_INSECURE_HTTP: '1', HUFU_HOST: host }).insecureHttp).toBe(true)
})

const elsewhere = [
  'redis://cache.internal:6379',
  'redis://hufu@cache.internal:6379',
  'redis://hufu:@cache.internal:6379',
  'rediss://cache.internal',
  'redis+cluster://127.0.0.1:1,cache.internal:2',
  'redis://0.0.0.0:6379',
]

test.each(elsewhere)('D108 a Redis on another machine needs a password: %s', (url) => {
  for (const name of ['HUFU_REDIS_URL', 'HUFU_REDIS_CACHE_URL']) {
    expect(() => readConfig({ ...complete, [name]: url })).toThrow(
      new RegExp(
        `^The environment isn't complete:\n {2}${name}: leads to another machine without a password; .*HUFU_REDIS_WITHOUT_PASSWORD=1`,
      ),
    )
    expect(readConfig({ ...complete, [name]: url, HUFU_REDIS_WITHOUT_PASSWORD: '1' }).redisWithoutPassword).toBe(true)
  }
})

test.each([
  'redis://hufu:secret@cache.internal:6379',
  'redis://:secret@cache.internal:6379',
  'rediss+cluster://hufu:se%40cret@one.internal:1,two.internal:2',
  'redis://localhost:6379',
  'redis://[::1]:6379',
  'redis+cluster://127.0.0.1:1,127.0.0.2:2',
])('D108 with one, and on this machine, it is taken: %s', (url) => {
  expect(readConfig({ ...complete, HUFU_REDIS_URL: url, HUFU_REDIS_CACHE_URL: url }).redisUrl).toBe(url)
})

const day = 24 * 60 * 60_000
const chinaDate = (time: number) => new Date(time + 8 * 60 * 60_000).toISOString().slice(0, 10)

test('D147 the grace of operators without a factor ends with the day in China, and is none unless set', () => {
  expect(readConfig(complete).operatorFactorGrace).toBeUndefined()
  const grace = (text: string) => readConfig({ ...complete, HUFU_OPERATOR_FACTOR_GRACE: text }).operatorFactorGrace
  expect(grace('2026-01-31')).toBe(Date.parse('2026-01-31T16:00:00Z'))
  expect(grace(chinaDate(Date.now() + 89 * day))).toBeGreaterThan(Date.now() + 89 * day)
})

test.each(['', 'soon', '1', '2026-02-31', '2026-13-01', '31.1.2027', '2026-1-31', '2026-01-31T00:00:00Z'])(
  'D147 what is no day is named: %s',
  (text) => {
    expect(() => readConfig({ ...complete, HUFU_OPERATOR_FACTOR_GRACE: text })).toThrow(
      /^The environment isn't complete:\n {2}HUFU_OPERATOR_FACTOR_GRACE: must be a day such as/,
    )
  },
)

test('D147 a grace of more than 90 days is refused', () => {
  const text = chinaDate(Date.now() + 92 * day)
  expect(() => readConfig({ ...complete, HUFU_OPERATOR_FACTOR_GRACE: text })).toThrow('must be at most 90 days ahead')
})
