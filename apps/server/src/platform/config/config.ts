import { z } from 'zod'
import { type Keys, parseKeys } from '../crypto/secrets.ts'
import { type DecoderAddress, parseDecoderAddress } from './decoder-address.ts'
import { graceUntil } from './grace-date.ts'
import { inTheClear, withoutPassword } from './unencrypted-stores.ts'

const flagWith = (preset: '0' | '1') =>
  z
    .enum(['0', '1'])
    .default(preset)
    .transform((value) => value === '1')
const flag = flagWith('0')
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
/** The base URL of an outside service: without a path, so that one can be appended. */
const origin = z
  .url({ protocol: /^https?$/, abort: true })
  .refine((text) => new URL(text).pathname === '/', 'must be an origin such as https://host')
  .transform((text) => new URL(text).origin)
const port = z.coerce.number().int().min(0).max(65535)

/** No other machine can connect. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host)

const decoderAddress = z.string().transform((text, context): DecoderAddress => {
  const address = parseDecoderAddress(text)
  if (address) return address
  context.addIssue({ code: 'custom', message: 'must be a path such as /run/hufu-draw/socket, or host:port' })
  return z.NEVER
})

const graceDate = z.string().transform((text, context): number => {
  const until = graceUntil(text, Date.now())
  if (typeof until === 'number') return until
  context.addIssue({ code: 'custom', message: until })
  return z.NEVER
})

/** Each has a description, and required ones a sample: `hufu env` prints them. */
export const named = z.object({
  HUFU_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must look like postgres://user@host/database')
    .meta({
      description:
        'PostgreSQL 15 or newer with the extension hll. Several hosts: postgres://user@a,b/hufu?target_session_attrs=read-write',
      sample: 'postgres://hufu:PASSWORD@127.0.0.1/hufu',
    }),
  HUFU_DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Database connections of one process for calls; a few more are used for its own work.'),
  HUFU_REDIS_URL: z
    .string()
    .regex(/^rediss?(\+cluster)?:\/\//, 'must look like redis://host:port or redis+cluster://a:1,b:2')
    .meta({
      description:
        'Redis with maxmemory-policy noeviction and a user with a password: a single one (redis://hufu:PASSWORD@host:6379) or a cluster (redis+cluster://hufu:PASSWORD@a:6379,b:6379).',
      sample: 'redis://hufu:PASSWORD@127.0.0.1:6379',
    }),
  HUFU_REDIS_CACHE_URL: z
    .string()
    .regex(/^rediss?(\+cluster)?:\/\//)
    .optional()
    .meta({
      description: 'A second Redis for caches, which may evict keys. Without it HUFU_REDIS_URL is used.',
      sample: 'redis://hufu:PASSWORD@127.0.0.1:6380',
    }),
  HUFU_REDIS_WITHOUT_PASSWORD: flag.describe(
    'With 1, a Redis on another machine needs no password. Use it only if nothing else can reach that Redis.',
  ),
  HUFU_REQUIRE_TLS: flag.describe(
    'With 1, PostgreSQL and Redis on other machines are refused without TLS and a verified certificate.',
  ),
  HUFU_KEYS: z
    .string()
    .transform((text, context): Keys => {
      try {
        return parseKeys(text)
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message })
        return z.NEVER
      }
    })
    .meta({
      description:
        'Encrypts secrets and signs cookies: the output of `hufu key`. To rotate: 2:<new>,1:<old>, restart, `hufu keys rotate`. Keep a copy apart from the backups.',
      sample: '',
    }),
  HUFU_HOST: z.string().default('127.0.0.1').describe('The address to listen on, behind a proxy that terminates TLS.'),
  HUFU_PORT: port.default(8080).describe('The port to listen on.'),
  HUFU_WEB_FOLDER: z.string().optional().meta({
    description: 'The folder of the built pages; bin/hufu sets it.',
    sample: '/opt/hufu/web',
  }),
  HUFU_TRUSTED_PROXIES: list
    .prefault('')
    .describe(
      "Addresses and networks of the proxies, such as 127.0.0.1,10.0.0.0/8. The header with the client's address is trusted only from them.",
    ),
  HUFU_PROXY_HEADER: z
    .string()
    .default('x-forwarded-for')
    .transform((name) => name.toLowerCase())
    .describe("The header in which the proxies pass the client's address."),
  HUFU_INSECURE_HTTP: flag.describe(
    'With 1, cookies work without TLS: for a trial on one machine, never in production.',
  ),
  HUFU_ALIYUN_SMS_URL: origin.prefault('https://dysmsapi.aliyuncs.com').describe('The SMS endpoint of Alibaba Cloud.'),
  HUFU_TENCENT_SMS_URL: origin
    .prefault('https://sms.tencentcloudapi.com')
    .describe('The SMS endpoint of Tencent Cloud.'),
  HUFU_WECHAT_URL: origin.prefault('https://api.weixin.qq.com').describe("WeChat's API for servers."),
  HUFU_WECHAT_OPEN_URL: origin
    .prefault('https://open.weixin.qq.com')
    .describe("WeChat's authorization pages for sign-in."),
  HUFU_WECHAT_PICTURES: list
    .pipe(z.array(origin))
    .prefault('https://thirdwx.qlogo.cn,https://wx.qlogo.cn')
    .describe('Origins from which WeChat avatars are copied.'),
  HUFU_MAIL_NETWORKS: list
    .prefault('')
    .describe("Private networks in which a site's mail server may be. Otherwise it must have a public address."),
  HUFU_LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Log level: debug, info, warn, error or silent.'),
  HUFU_MAX_CALLS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1000)
    .describe('Maximum number of calls in progress in one process; more are refused.'),
  HUFU_SITE_CALLS: z.coerce
    .number()
    .int()
    .min(1)
    .default(2_000)
    .describe('Calls per second of one site in one process, while other sites are active too.'),
  HUFU_LOAD_SHEDDING: flagWith('1').describe(
    'With 0, an overloaded process makes calls wait for up to 30 seconds instead of refusing them: only for tests and debugging.',
  ),
  HUFU_PICTURES: decoderAddress.optional().meta({
    description:
      'The address of `hufu draw`, which decodes pictures: a socket, or host:port. Without it a child process with access to the keys decodes them: only for development.',
    sample: '/run/hufu-draw/socket',
  }),
  HUFU_OPERATOR_FACTOR_GRACE: graceDate.optional().meta({
    description:
      'Through this day, by the calendar of China, operators without a second factor can use the back-office: for the roll-out, at most 90 days ahead. Without it they must enrol first.',
    sample: '2027-01-31',
  }),
  HUFU_METRICS_PORT: port.optional().meta({
    description:
      'The port of /metrics for Prometheus, a different one for each process of a machine. Leave it unset to disable metrics.',
    sample: '9401',
  }),
  HUFU_METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('The address of /metrics. Do not expose it to the internet.'),
})

const environment = named
  .refine(({ HUFU_INSECURE_HTTP, HUFU_HOST }) => !HUFU_INSECURE_HTTP || isLoopback(HUFU_HOST), {
    path: ['HUFU_INSECURE_HTTP'],
    error:
      'may be 1 only where HUFU_HOST is 127.0.0.1, ::1 or localhost; put a proxy with TLS in front and leave it out',
  })
  .superRefine(({ HUFU_REDIS_URL, HUFU_REDIS_CACHE_URL, HUFU_REDIS_WITHOUT_PASSWORD }, context) => {
    if (HUFU_REDIS_WITHOUT_PASSWORD) return
    for (const name of withoutPassword({ HUFU_REDIS_URL, HUFU_REDIS_CACHE_URL }))
      context.addIssue({
        code: 'custom',
        path: [name],
        message:
          'leads to another machine without a password; write redis://user:password@host, or set HUFU_REDIS_WITHOUT_PASSWORD=1 where nothing else can reach it',
      })
  })

export interface Config {
  databaseUrl: string
  databasePool: number
  redisUrl: string
  redisCacheUrl: string
  redisWithoutPassword: boolean
  /** Variables whose stores are on other machines and reached without TLS. */
  inTheClear: string[]
  keys: Keys
  host: string
  port: number
  webFolder: string | undefined
  trustedProxies: string[]
  proxyHeader: string
  insecureHttp: boolean
  smsUrls: { aliyun: string; tencent: string }
  wechat: { apiUrl: string; openUrl: string; pictures: string[] }
  mailNetworks: string[]
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  maxCalls: number
  siteCalls: number
  /** Whether calls are refused early under load. Limits that are rules of the product hold either way. */
  loadShedding: boolean
  /** Where pictures are decoded; without it, by a child of the process. */
  pictures: DecoderAddress | undefined
  /** In production they should not be decoded under the user that holds the keys. */
  picturesBesideKeys: boolean
  /** Until when operators need no second factor, in epoch milliseconds. */
  operatorFactorGrace: number | undefined
  metricsPort: number | undefined
  metricsHost: string
}

/** The only setting of `hufu draw`. */
export function readDecoderAddress(variables: NodeJS.ProcessEnv = process.env): DecoderAddress {
  const parsed = decoderAddress.safeParse(variables.HUFU_PICTURES ?? '')
  if (!parsed.success) throw new Error(`HUFU_PICTURES: ${parsed.error.issues[0]?.message}`)
  return parsed.data
}

/** Who runs the command line, by the operating system's name. */
export const shellName = (variables: NodeJS.ProcessEnv = process.env): string | undefined =>
  variables.SUDO_USER || variables.LOGNAME || variables.USER

/** The only reader of the environment. Everything that is missing or malformed is named at once. */
export function readConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const parsed = environment.safeParse(variables)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The environment isn't complete:\n${faults.join('\n')}`)
  }
  const values = parsed.data
  const { HUFU_DATABASE_URL, HUFU_REDIS_URL, HUFU_REDIS_CACHE_URL } = values
  const clear = inTheClear({ HUFU_DATABASE_URL, HUFU_REDIS_URL, HUFU_REDIS_CACHE_URL })
  if (values.HUFU_REQUIRE_TLS && clear.length > 0)
    throw new Error(`HUFU_REQUIRE_TLS=1, but these reach other machines without TLS: ${clear.join(', ')}`)
  return {
    databaseUrl: values.HUFU_DATABASE_URL,
    databasePool: values.HUFU_DATABASE_POOL,
    redisUrl: values.HUFU_REDIS_URL,
    redisCacheUrl: values.HUFU_REDIS_CACHE_URL ?? values.HUFU_REDIS_URL,
    redisWithoutPassword: values.HUFU_REDIS_WITHOUT_PASSWORD,
    inTheClear: clear,
    keys: values.HUFU_KEYS,
    host: values.HUFU_HOST,
    port: values.HUFU_PORT,
    webFolder: values.HUFU_WEB_FOLDER,
    trustedProxies: values.HUFU_TRUSTED_PROXIES,
    proxyHeader: values.HUFU_PROXY_HEADER,
    insecureHttp: values.HUFU_INSECURE_HTTP,
    smsUrls: { aliyun: values.HUFU_ALIYUN_SMS_URL, tencent: values.HUFU_TENCENT_SMS_URL },
    wechat: {
      apiUrl: values.HUFU_WECHAT_URL,
      openUrl: values.HUFU_WECHAT_OPEN_URL,
      pictures: values.HUFU_WECHAT_PICTURES,
    },
    mailNetworks: values.HUFU_MAIL_NETWORKS,
    logLevel: values.HUFU_LOG_LEVEL,
    maxCalls: values.HUFU_MAX_CALLS,
    siteCalls: values.HUFU_SITE_CALLS,
    loadShedding: values.HUFU_LOAD_SHEDDING,
    pictures: values.HUFU_PICTURES,
    picturesBesideKeys: values.HUFU_PICTURES === undefined && variables.NODE_ENV === 'production',
    operatorFactorGrace: values.HUFU_OPERATOR_FACTOR_GRACE,
    metricsPort: values.HUFU_METRICS_PORT,
    metricsHost: values.HUFU_METRICS_HOST,
  }
}
