import { z } from 'zod'
import { inTheClear } from './in-the-clear.ts'
import { type Keys, parseKeys } from './secrets.ts'

const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((value) => value === '1')
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
/** Where an outside service is met: no path, so that one can be put behind it. */
const origin = z
  .url({ protocol: /^https?$/, abort: true })
  .refine((text) => new URL(text).pathname === '/', 'must be an origin such as https://host')
  .transform((text) => new URL(text).origin)
const port = z.coerce.number().int().min(0).max(65535)

const environment = z.object({
  HUFU_DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must look like postgres://user@host/database'),
  HUFU_DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10),
  HUFU_REDIS_URL: z
    .string()
    .regex(/^rediss?(\+cluster)?:\/\//, 'must look like redis://host:port or redis+cluster://a:1,b:2'),
  /** May evict; the same as HUFU_REDIS_URL where it isn't given. */
  HUFU_REDIS_CACHE_URL: z
    .string()
    .regex(/^rediss?(\+cluster)?:\/\//)
    .optional(),
  /** Refuses stores on other machines that aren't reached by TLS under a certificate that is looked at. */
  HUFU_REQUIRE_TLS: flag,
  HUFU_KEYS: z.string().transform((text, context): Keys => {
    try {
      return parseKeys(text)
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message })
      return z.NEVER
    }
  }),
  HUFU_HOST: z.string().default('127.0.0.1'),
  HUFU_PORT: port.default(8080),
  HUFU_WEB_FOLDER: z.string().optional(),
  HUFU_TRUSTED_PROXIES: list.prefault(''),
  HUFU_PROXY_HEADER: z
    .string()
    .default('x-forwarded-for')
    .transform((name) => name.toLowerCase()),
  HUFU_INSECURE_HTTP: flag,
  HUFU_ALIYUN_SMS_URL: origin.prefault('https://dysmsapi.aliyuncs.com'),
  HUFU_TENCENT_SMS_URL: origin.prefault('https://sms.tencentcloudapi.com'),
  HUFU_WECHAT_URL: origin.prefault('https://api.weixin.qq.com'),
  HUFU_WECHAT_OPEN_URL: origin.prefault('https://open.weixin.qq.com'),
  /** Origins from which pictures of people are copied. */
  HUFU_WECHAT_PICTURES: list.pipe(z.array(origin)).prefault('https://thirdwx.qlogo.cn,https://wx.qlogo.cn'),
  /** Networks of the platform's own in which a site's mail server may stand; elsewhere it must have a public address. */
  HUFU_MAIL_NETWORKS: list.prefault(''),
  HUFU_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Calls in progress at once in one process before new ones are refused. */
  HUFU_MAX_CALLS: z.coerce.number().int().min(1).default(1000),
  /** Calls a second that one site may make of one process while other sites call too. */
  HUFU_SITE_CALLS: z.coerce.number().int().min(1).default(2_000),
})

export interface Config {
  databaseUrl: string
  databasePool: number
  redisUrl: string
  redisCacheUrl: string
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
}

/** The only reader of the environment. Whatever is missing or malformed is named, all of it at once. */
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
    throw new Error(`HUFU_REQUIRE_TLS=1, and these lead elsewhere without it: ${clear.join(', ')}`)
  return {
    databaseUrl: values.HUFU_DATABASE_URL,
    databasePool: values.HUFU_DATABASE_POOL,
    redisUrl: values.HUFU_REDIS_URL,
    redisCacheUrl: values.HUFU_REDIS_CACHE_URL ?? values.HUFU_REDIS_URL,
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
  }
}
