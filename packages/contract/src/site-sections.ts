import { z } from 'zod'
import { eventTypes } from './event-rules.ts'
import { email, imageUrl, origin, returnAddress, webUrl } from './fields.ts'
import { machineScopes } from './machine-scopes.ts'
import { clientKinds, oidcScopes } from './oidc.ts'
import type { Region } from './regions.ts'

/*
 * The parts of a site's config. Each field carries a description for operators.
 */

const secret = z.string().min(1).max(512)
const shortText = z.string().max(200)

export const agreements = z.looseObject({
  terms: webUrl.describe('用户协议的网址'),
  privacy: webUrl.describe('隐私政策的网址'),
  version: z.string().min(1).max(40).describe('协议的版本，修改后所有用户需要重新同意'),
})

export const region = z.object({
  key: z.string().min(1).max(20).describe('地区代码，例如 CN'),
  name: z.string().min(1).max(40).describe('显示的名称'),
  names: z.array(z.string().max(80)).default([]).describe('搜索时使用的其他名称'),
  nativeName: z.string().max(80).default('').describe('当地语言的名称'),
  language: z.string().min(2).max(35).describe('当地使用的语言，例如 zh-CN'),
  languages: z.array(z.string().max(35)).default([]).describe('当地使用的所有语言'),
  prefix: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, '须为数字区号')
    .describe('电话区号，不带加号，例如 86'),
}) satisfies z.ZodType<Region>

export const wechat = z.looseObject({
  appId: shortText.describe('公众号的 AppID，修改后需要重新填写密钥'),
  secret: secret.optional().describe('公众号的 AppSecret，保存后显示为 ********'),
})

/** The server checks the rest by the gateway's kind. */
const smsGateway = z.looseObject({
  kind: z.string().max(20),
  templates: z.record(z.string(), shortText).optional(),
})

export const sms = z.looseObject({
  gateways: z.array(smsGateway).max(5).optional().describe('短信通道，前一个无法发送时使用后一个'),
})

export const mail = z.looseObject({
  host: shortText.describe('邮件服务器的地址，修改后需要重新填写密码'),
  port: z.int().min(1).max(65535).optional().describe('邮件服务器的端口，修改后需要重新填写密码'),
  user: shortText.optional().describe('登录邮件服务器的账号'),
  password: secret.optional().describe('登录邮件服务器的密码，保存后显示为 ********'),
  from: shortText.optional().describe('发件人，例如 青屿生活 <no-reply@example.com>'),
  secure: z.boolean().optional().describe('是否从一开始就使用加密连接，465 端口默认使用'),
})

const clientScope = z.looseObject({
  name: z
    .enum([...oidcScopes, ...machineScopes])
    .describe(
      'profile 昵称和头像，phone 手机号，email 邮箱，offline_access 用户离开后继续使用；服务端程序（machine）使用管理接口的权限：users:read 查看用户（号码和邮箱打码），users:contact 查看完整的号码和邮箱，users:write 停用和启用用户，sessions:revoke 让用户下线，feedback:read 查看反馈，feedback:write 回复和结束反馈，events:read 读取事件，config:read 查看配置',
    ),
  reason: z.string().max(60).optional().describe('用途，显示在授权页面，例如「用于发送订单和到货通知」'),
  required: z.boolean().optional().describe('是否必需，必需的信息用户不能取消勾选'),
})

export const client = z.looseObject({
  id: z.string().min(1).max(64).describe('应用的编号，由英文字母、数字和 . _ - 组成；修改后需要重新填写密钥'),
  name: z.string().min(1).max(40).describe('应用的名称'),
  kind: z
    .enum(clientKinds)
    .optional()
    .describe(
      '使用 OpenID Connect 的应用类型：web 网站，spa 单页应用，native 客户端，machine 服务端程序；旧版接入方式不填写',
    ),
  logo: imageUrl.optional().describe('应用的图标，显示在登录、授权页面'),
  firstParty: z
    .boolean()
    .optional()
    .describe(
      '是否为本品牌自己的应用：自己的应用不询问授权，并得到真实的用户编号；第三方应用须经用户同意，且只得到它专用的用户编号；保存后不能修改',
    ),
  scopes: z
    .array(clientScope)
    .max(machineScopes.length)
    .optional()
    .describe('应用可以获取的信息，默认只有用户编号；服务端程序（machine）可以调用的管理接口，默认没有'),
  privacy: webUrl.optional().describe('应用的隐私政策网址，显示在授权页面'),
  secret: secret.optional().describe('应用的密钥，至少 16 个字符，保存后显示为 ********'),
  previousSecret: secret.optional().describe('更换密钥期间仍然有效的旧密钥，保存后显示为 ********；更换完成后删除'),
  publicKeys: z
    .array(z.record(z.string(), z.unknown()))
    .max(5)
    .optional()
    .describe('应用的公钥（JWK，不含私钥内容），填写后应用以 private_key_jwt 证明身份，OpenID Connect 不再使用密钥'),
  returns: z
    .array(returnAddress)
    .max(100)
    .optional()
    .describe(
      '登录后返回的完整地址，须与应用发来的地址完全一致，且应用须使用 PKCE（S256）；旧版接入方式的每个地址只能属于一个应用，第三方应用的地址须属于同一域名，客户端（native）可以使用 com.example.app:/callback 形式的地址',
    ),
  logoutReturns: z.array(returnAddress).max(100).optional().describe('退出登录后可以返回的完整地址'),
  backchannelUrl: webUrl.optional().describe('用户退出登录时通知该应用的网址，须与应用自己的 returns 同源'),
  pkceOptional: z.boolean().optional().describe('允许不使用 PKCE，仅用于不支持 PKCE 的服务端应用'),
  device: z
    .boolean()
    .optional()
    .describe(
      '允许没有键盘的设备登录，例如电视、命令行程序：设备显示二维码，用户在手机上确认；只用于这种登录的应用不需要填写 returns',
    ),
  introspection: z.boolean().optional().describe('允许查询其他应用的令牌是否有效，仅用于网关'),
  sources: z
    .array(origin)
    .max(100)
    .optional()
    .describe('旧版应用的来源地址，只能保留已有的；请改用 returns，应用启用 PKCE 后删除此项'),
  deletionUrl: webUrl.optional().describe('用户注销后通知该应用的网址，须与应用自己的 returns 或 sources 同源'),
})

/** Where events are delivered to. */
export const webhook = z.looseObject({
  id: z.string().min(1).max(40).describe('接收地址的编号，由英文字母、数字和 _ - 组成；修改后从新的事件开始发送'),
  url: webUrl.describe('接收事件的完整网址，须以 https:// 开头；修改后需要重新填写密钥'),
  types: z
    .array(z.enum(eventTypes))
    .min(1)
    .max(eventTypes.length)
    .optional()
    .describe('发送哪些事件，未填写时发送全部'),
  secret: secret.optional().describe('签名密钥，whsec_ 开头，保存后显示为 ********；没有密钥时不发送'),
  previousSecret: secret.optional().describe('更换密钥期间同时用于签名的旧密钥，保存后显示为 ********；更换完成后删除'),
})

const count = z.int().min(0)

/** Rate limits and quotas of codes, and limits of wrong passwords; missing fields have the product's defaults. */
export const limits = z.looseObject({
  receiverHour: count
    .optional()
    .describe('每个号码或邮箱每小时最多发送的验证码数，默认 5；其中四成留给已登录或登录过该账号的浏览器'),
  receiverDay: count
    .optional()
    .describe('每个号码或邮箱每天最多发送的验证码数，默认 10；其中四成留给已登录或登录过该账号的浏览器'),
  addressProof: count.optional().describe('同一网络地址每小时发送多少次后需要人机验证，默认 20'),
  addressHour: count.optional().describe('同一网络地址每小时最多发送的验证码数，默认 500'),
  prefixDay: count
    .optional()
    .describe('每个电话区号每天最多发送的短信数，默认 2000；其中三成留给已登录或登录过的浏览器'),
  siteDay: count.optional().describe('全站每天最多发送的短信数，默认 10000；其中三成留给已登录或登录过的浏览器'),
  wrongCodesHour: count
    .optional()
    .describe('全站每小时输错多少次验证码后，陌生浏览器每次输入都需要人机验证，默认 1000，最多 5000'),
  passwordFailures: count.optional().describe('密码连续错误多少次后需要验证并等待，默认 10，最多 100'),
})

/** Notices of a new message, while a side is absent. */
const feedbackNotices = z.looseObject({
  ways: z
    .array(z.enum(['wechat', 'mail', 'sms']))
    .max(3)
    .optional()
    .describe('用户离开后以何种方式通知，按顺序使用第一个可用的；空列表表示不通知'),
  quietMinutes: z.int().min(1).max(10_080).optional().describe('同一反馈在多少分钟内只通知一次'),
  wechat: z
    .looseObject({
      templateId: shortText.describe('模板消息的编号'),
      fields: z
        .record(z.string().max(40), z.enum(['site', 'reference', 'time', 'reply']))
        .describe('模板中的各个字段填写什么：site 站点名称，reference 反馈编号，time 时间，reply 回复内容'),
    })
    .optional()
    .describe('微信模板消息'),
  operators: z.array(email).max(20).optional().describe('用户留言时通知的客服邮箱'),
})

/** Notices of a sign-in with an unknown browser. */
const loginNotices = z.looseObject({
  ways: z
    .array(z.enum(['wechat', 'mail', 'sms']))
    .max(3)
    .optional()
    .describe(
      '账号在新设备上登录时以何种方式通知，按顺序使用第一个可用的，默认依次为微信、邮件、短信；空列表表示不通知',
    ),
  wechat: z
    .looseObject({
      templateId: shortText.describe('模板消息的编号'),
      fields: z
        .record(z.string().max(40), z.enum(['site', 'time', 'device', 'place']))
        .describe('模板中的各个字段填写什么：site 站点名称，time 登录时间，device 浏览器和系统，place 登录地点'),
    })
    .optional()
    .describe('微信模板消息'),
})

export const notices = z.looseObject({
  feedback: feedbackNotices.optional().describe('意见反馈的通知'),
  login: loginNotices.optional().describe('新设备登录的通知'),
})

export const privacy = z.looseObject({
  maskLists: z.boolean().optional().describe('用户列表是否隐藏手机号和邮箱的中间部分，默认隐藏'),
})

export const protection = z.looseObject({
  trustDevices: z.boolean().optional().describe('是否允许用户信任自己的设备，30 天内登录不再做第二步验证，默认允许'),
})

/** A file name served at the root of the site: no folders, nothing hidden, nothing a browser would run. */
const rootFile = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\.txt$/, '文件名只能由字母、数字、下划线和短横线组成，并以 .txt 结尾')

export const files = z.record(rootFile, z.string().max(4096))
