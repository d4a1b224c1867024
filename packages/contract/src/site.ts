import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { email, hexColor, imageUrl, origin, webUrl } from './fields.ts'
import type { Region } from './regions.ts'

export const loginMethods = ['mobile', 'password', 'wechat'] as const
export type LoginMethod = (typeof loginMethods)[number]

const agreements = z.looseObject({
  terms: webUrl,
  privacy: webUrl,
  version: z.string().min(1).max(40),
})

const region = z.object({
  key: z.string().min(1).max(20),
  name: z.string().min(1).max(40),
  names: z.array(z.string().max(80)).default([]),
  nativeName: z.string().max(80).default(''),
  language: z.string().min(2).max(35),
  languages: z.array(z.string().max(35)).default([]),
  prefix: z.string().regex(/^[1-9]\d{0,6}$/, '须为数字区号'),
}) satisfies z.ZodType<Region>

const secret = z.string().max(512)
const shortText = z.string().max(200)

const smsGateway = z.looseObject({
  kind: z.enum(['aliyun', 'tencent']),
  keyId: shortText,
  secret: secret.optional(),
  signName: shortText,
  appId: shortText.optional(),
  region: shortText.optional(),
  /** The gateway's template codes by purpose: login, changeMobile, twoFactor, notice, feedback. */
  templates: z.record(z.string(), shortText).optional(),
})

const client = z.looseObject({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(40),
  secret: secret.optional(),
  sources: z.array(origin).max(100),
})

const count = z.int().min(0)

/** How many codes may be sent, and how often passwords may fail; what isn't given has the product's own value. */
const limits = z.looseObject({
  receiverHour: count.optional(),
  receiverDay: count.optional(),
  addressProof: count.optional(),
  addressHour: count.optional(),
  prefixDay: count.optional(),
  siteDay: count.optional(),
  passwordFailures: count.optional(),
})

/** Who is told that a conversation goes on, while they are away. */
const feedbackNotices = z.looseObject({
  /** How a person is told of a reply: the first of these that reaches them. An empty list turns it off. */
  ways: z
    .array(z.enum(['wechat', 'mail', 'sms']))
    .max(3)
    .optional(),
  /** In so many minutes a conversation is told of once. */
  quietMinutes: z.int().min(1).max(10_080).optional(),
  /** The template message, and which of our words stand in which of its fields. */
  wechat: z
    .looseObject({
      templateId: shortText,
      fields: z.record(z.string().max(40), z.enum(['site', 'reference', 'time', 'reply'])),
    })
    .optional(),
  /** Mail addresses that are told of what people write. */
  operators: z.array(email).max(20).optional(),
})

/** A file name served at the root of the site: no folders, nothing hidden, nothing a browser would run. */
const rootFile = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.txt$/, '文件名只能由字母、数字、下划线和短横线组成，并以 .txt 结尾')

/**
 * What an operator may write for a site. Known sections are checked; unknown keys are kept as they are, at every level.
 */
export const siteConfig = z.looseObject({
  name: z.string().min(1).max(40).optional(),
  site: webUrl.optional(),
  bg: imageUrl.optional(),
  vbg: imageUrl.optional(),
  logoIcon: imageUrl.optional(),
  logoImage: imageUrl.optional(),
  methods: z.array(z.string().max(40)).max(20).optional(),
  regions: z
    .array(z.union([z.string().max(20), region.loose()]))
    .max(300)
    .optional(),
  theme: z.looseObject({ primary: hexColor.optional() }).optional(),
  agreements: agreements.optional(),
  icp: z.string().max(80).optional(),
  police: z.string().max(80).optional(),
  languages: z.array(z.string().min(2).max(35)).min(1).max(20).optional(),
  registration: z.enum(['open', 'closed']).optional(),
  wechat: z.looseObject({ appId: shortText, secret: secret.optional() }).optional(),
  sms: z.looseObject({ gateways: z.array(smsGateway).max(5).optional() }).optional(),
  mail: z
    .looseObject({
      host: shortText,
      port: z.int().min(1).max(65535).optional(),
      user: shortText.optional(),
      password: secret.optional(),
      from: shortText.optional(),
      secure: z.boolean().optional(),
    })
    .optional(),
  sources: z.array(origin).max(1000).optional(),
  clients: z.array(client).max(1000).optional(),
  limits: limits.optional(),
  notices: z.looseObject({ feedback: feedbackNotices.optional() }).optional(),
  privacy: z.looseObject({ maskLists: z.boolean().optional() }).optional(),
  files: z.record(rootFile, z.string().max(4096)).optional(),
})

export type SiteConfig = z.input<typeof siteConfig>

/** The public part of a site's config, and nothing else of it. */
const siteMeta = z.object({
  name: z.string(),
  site: z.string().optional(),
  bg: z.string().optional(),
  vbg: z.string().optional(),
  logoIcon: z.string().optional(),
  logoImage: z.string().optional(),
  methods: z.array(z.enum(loginMethods)),
  regions: z.array(region),
  theme: z.object({ primary: z.string() }),
  agreements: agreements.optional(),
  icp: z.string().optional(),
  police: z.string().optional(),
  languages: z.array(z.string()),
  registration: z.enum(['open', 'closed']),
  wechatEnabled: z.boolean(),
})

export type SiteMeta = z.infer<typeof siteMeta>

export const meta = endpoint({
  path: '/api/meta',
  summary: 'The name, logos, colour, sign-in methods and regions of the site.',
  access: 'public',
  harmless: true,
  input: nothing,
  output: siteMeta,
})
