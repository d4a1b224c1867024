import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { hexColor, imageUrl, origin, webUrl, webUrlOrPhone } from './fields.ts'
import {
  agreements,
  client,
  files,
  limits,
  mail,
  notices,
  privacy,
  protection,
  region,
  sms,
  webhook,
  wechat,
} from './site-sections.ts'

export const loginMethods = ['mobile', 'password', 'wechat'] as const
export type LoginMethod = (typeof loginMethods)[number]

/** What a config calls the methods. */
const methodWords: Record<LoginMethod, string> = { mobile: '手机号', password: '密码', wechat: '微信扫码' }
const explained = loginMethods.map((method) => `${method} ${methodWords[method]}`).join('，')

// Examples are suggested while an operator types; other values are fine.
const methodName = z.string().max(40).meta({ examples: loginMethods })
const regionKey = z
  .string()
  .max(20)
  .meta({ examples: ['CN', 'HK', 'MO', 'TW', 'SG'] })
const languageTag = z
  .string()
  .min(2)
  .max(35)
  .meta({ examples: ['zh-CN'] })

/**
 * What an operator may write for a site. Known sections are checked; unknown keys are kept as they are, at every level.
 */
export const siteConfig = z.looseObject({
  name: z.string().min(1).max(40).optional().describe('站点名称'),
  site: webUrl.optional().describe('官方网站的网址，即导航中的「首页」'),
  support: webUrlOrPhone.optional().describe('客服的网址或电话，显示给无法登录的用户'),
  bg: imageUrl.optional().describe('登录页的背景图片'),
  vbg: imageUrl.optional().describe('竖屏登录页的背景图片，未填写时使用 bg'),
  logoIcon: imageUrl.optional().describe('方形图标'),
  logoImage: imageUrl.optional().describe('带有站点名称的横向标志'),
  methods: z.array(methodName).max(20).optional().describe(`登录方式及其顺序：${explained}；未填写时全部开放`),
  regions: z
    .array(z.union([regionKey, region.loose()]))
    .max(300)
    .optional()
    .describe('支持的手机号地区，填写地区代码或完整的地区'),
  theme: z
    .looseObject({ primary: hexColor.optional().describe('主色，例如 #5374fa') })
    .optional()
    .describe('外观'),
  agreements: agreements.optional().describe('用户协议和隐私政策，填写后登录时需要勾选同意'),
  icp: z.string().max(80).optional().describe('ICP 备案号，显示在页脚'),
  police: z.string().max(80).optional().describe('公安备案号，显示在页脚'),
  languages: z.array(languageTag).min(1).max(20).optional().describe('提供的语言，默认 zh-CN'),
  registration: z.enum(['open', 'closed']).optional().describe('是否开放注册：open 开放，closed 关闭'),
  wechat: wechat.optional().describe('微信公众号'),
  sms: sms.optional().describe('短信'),
  mail: mail.optional().describe('邮件'),
  sources: z.array(origin).max(1000).optional().describe('登录后可以返回的其他网站的来源地址'),
  clients: z.array(client).max(1000).optional().describe('使用本站账号登录的应用'),
  webhooks: z.array(webhook).max(20).optional().describe('接收事件通知（Webhook）的地址'),
  limits: limits.optional().describe('发送和错误次数的上限'),
  notices: notices.optional().describe('通知'),
  privacy: privacy.optional().describe('隐私'),
  protection: protection.optional().describe('登录保护'),
  files: files.optional().describe('放在网站根目录的验证文件：文件名和内容'),
})

export type SiteConfig = z.input<typeof siteConfig>

/** The public part of a site's config, and nothing else of it. */
export const siteMeta = z
  .object({
    name: z.string(),
    site: z.string().optional(),
    support: z.string().optional(),
    bg: z.string().optional(),
    vbg: z.string().optional(),
    logoIcon: z.string().optional(),
    logoImage: z.string().optional(),
    methods: z.array(z.enum(loginMethods)),
    regions: z.array(region.meta({ id: 'Region' })),
    theme: z.object({ primary: z.string() }),
    agreements: agreements.meta({ id: 'Agreements' }).optional(),
    icp: z.string().optional(),
    police: z.string().optional(),
    languages: z.array(z.string()),
    registration: z.enum(['open', 'closed']),
    wechatEnabled: z.boolean(),
  })
  .meta({ id: 'SiteMeta' })

export type SiteMeta = z.infer<typeof siteMeta>

export const meta = endpoint({
  path: '/api/meta',
  summary: 'The name, logos, colour, sign-in methods and regions of the site.',
  access: 'public',
  harmless: true,
  input: nothing,
  output: siteMeta,
})
