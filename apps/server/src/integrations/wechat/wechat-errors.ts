import { fieldWords } from '@hufu/contract/wechat-fields'

/** The error numbers of WeChat by name, and what they mean to the operator of a site. */
const known = {
  40001: ['credentialInvalid', '微信接口凭证无效，请稍后再试；若持续出现，请检查 AppSecret 是否正确'],
  40002: ['grantTypeInvalid', '微信不支持所请求的凭证类型'],
  40003: ['openidInvalid', '该用户的微信标识无效，可能不属于本公众号'],
  40013: ['appIdInvalid', '公众号的 AppID 不正确，请检查站点配置'],
  40014: ['tokenInvalid', '微信接口凭证无效，请稍后再试'],
  40016: ['buttonCount', '菜单按钮的数量不符合要求：一级菜单 1-3 个，二级菜单 1-5 个'],
  40017: ['buttonType', '菜单中有微信接口不支持的按钮类型'],
  40018: ['buttonName', '菜单按钮的名称为空或过长'],
  40019: ['buttonKey', '菜单按钮的 key 为空或过长'],
  40020: ['buttonUrl', '菜单按钮的网址为空、过长或不正确'],
  40023: ['subButtonCount', '二级菜单的数量不符合要求：1-5 个'],
  40024: ['subButtonType', '二级菜单中有微信接口不支持的按钮类型'],
  40025: ['subButtonName', '二级菜单按钮的名称为空或过长'],
  40026: ['subButtonKey', '二级菜单按钮的 key 为空或过长'],
  40027: ['subButtonUrl', '二级菜单按钮的网址为空、过长或不正确'],
  40029: ['codeInvalid', '微信授权码无效，请重新授权'],
  40033: ['escapedBody', '提交给微信的内容含有转义字符'],
  40036: ['templateIdLength', '模板编号的长度不正确'],
  40037: ['templateIdInvalid', '模板编号不存在或不属于本公众号'],
  40125: ['secretInvalid', '公众号的 AppSecret 不正确，请检查站点配置'],
  40163: ['codeUsed', '微信授权码已使用，请重新授权'],
  40164: ['ipNotListed', '服务器地址不在微信公众号的 IP 白名单中，请在公众平台的「基本配置」中添加'],
  40243: ['secretFrozen', '公众号的 AppSecret 已被冻结，请在公众平台解冻后重试'],
  42001: ['tokenExpired', '微信接口凭证已过期，请稍后再试'],
  42003: ['codeExpired', '微信授权码已过期，请重新授权'],
  43004: ['mustFollow', '该用户没有关注公众号，无法接收消息'],
  43101: ['refusedByPerson', '该用户拒绝接收此消息'],
  43116: ['templateBanned', '该模板因违规已被微信封禁'],
  43117: ['tooFrequent', '向该用户发送过于频繁，请稍后再试'],
  45009: ['dayQuota', '微信接口今日的调用次数已用完，请明日再试'],
  45011: ['minuteQuota', '微信接口调用过于频繁，请一分钟后再试'],
  46003: ['noMenu', '公众号没有设置菜单'],
  47001: ['bodyMalformed', '提交给微信的内容格式不正确'],
  47003: ['fieldInvalid', '模板参数的内容不符合要求'],
  48001: ['notAuthorized', '公众号没有该接口的权限，请在公众平台的「接口权限」中查看'],
  48004: ['callBanned', '公众号的该接口已被微信封禁，请登录公众平台查看详情'],
  50002: ['accountLimited', '公众号的功能受限，请登录公众平台查看详情'],
  89501: ['ipAwaitsApproval', '服务器地址正在等待公众号管理员确认，请管理员在微信中同意后重试'],
  89503: ['ipNeedsApproval', '服务器地址需要公众号管理员确认，请管理员在微信中同意后重试'],
  89506: ['ipRefusedTwice', '公众号管理员已两次拒绝该服务器地址，24 小时内不能再使用'],
  89507: ['ipRefused', '公众号管理员已拒绝该服务器地址，1 小时内不能再使用'],
} as const satisfies Record<number, readonly [name: string, text: string]>

type Known = typeof known
export type WechatErrorName = Known[keyof Known][0]

const isKnown = (code: number): code is keyof Known => Object.hasOwn(known, code)

const wechatErrorName = (code: number): WechatErrorName | undefined => (isKnown(code) ? known[code][0] : undefined)

/** One sentence for an operator. */
export const wechatErrorText = (code: number): string =>
  isKnown(code) ? known[code][1] : `微信拒绝了此操作（错误码 ${code}）`

/** Which address of ours WeChat doesn't know, in its own words. */
export const unlistedAddress = (code: number, message: string): string | undefined =>
  wechatErrorName(code) === 'ipNotListed' ? /ip ([\da-f.:]{3,45}\b)/i.exec(message)?.[1] : undefined

/** The same with details from WeChat's message: which field, which address. */
export function refusalText(code: number, message: string): string {
  const address = unlistedAddress(code, message)
  if (address) return `${wechatErrorText(code)}：${address}`
  const [, field] = (wechatErrorName(code) === 'fieldInvalid' && /data\.(\w+)\.value/.exec(message)) || []
  if (field === undefined) return wechatErrorText(code)
  const words = fieldWords(field)
  return `模板参数 ${field} 的内容不符合要求${words ? `：${words}` : ''}`
}

/** The code of a sign-in can't be used any more: the user starts over. */
export const mustStartOver = (code: number): boolean =>
  ['codeInvalid', 'codeUsed', 'codeExpired'].includes(wechatErrorName(code) ?? '')

/** The shared access token is void: it is dropped and fetched again. */
export const tokenIsVoid = (code: number): boolean =>
  ['credentialInvalid', 'tokenInvalid', 'tokenExpired'].includes(wechatErrorName(code) ?? '')

const operatorsMatters: (WechatErrorName | undefined)[] = [
  'credentialInvalid',
  'appIdInvalid',
  'tokenInvalid',
  'tokenExpired',
  'secretInvalid',
  'secretFrozen',
  'ipNotListed',
  'ipAwaitsApproval',
  'ipNeedsApproval',
  'ipRefused',
  'ipRefusedTwice',
  'dayQuota',
  'minuteQuota',
  'notAuthorized',
  'callBanned',
  'accountLimited',
]

/** Credentials, listed addresses, quotas and permissions: what only the operator of the site can fix. */
export const needsOperator = (code: number): boolean => operatorsMatters.includes(wechatErrorName(code))

const userRefusals: (WechatErrorName | undefined)[] = ['openidInvalid', 'mustFollow', 'refusedByPerson', 'tooFrequent']

/** Refusals about the one user that the message was for. */
export const isUserRefusal = (code: number): boolean => userRefusals.includes(wechatErrorName(code))

/** The account has no menu yet, which is not a failure. */
export const hasNoMenu = (code: number): boolean => wechatErrorName(code) === 'noMenu'
