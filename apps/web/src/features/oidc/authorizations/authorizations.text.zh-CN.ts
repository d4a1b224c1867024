import type { OidcScope } from '@hufu/contract/oidc'

/** 昵称、手机号和邮箱 */
const listed = (words: string[]) =>
  words.length > 1 ? `${words.slice(0, -1).join('、')}和${words.at(-1)}` : (words[0] ?? '')

const learnt: Partial<Record<OidcScope, string>> = { profile: '昵称、头像', phone: '手机号', email: '邮箱' }

/** The sentences of the sites that the user has signed in to. */
export const authorizationsZhCN = {
  title: '授权管理',
  lead: (site: string) => `您曾用${site}账号登录以下网站。解除授权后，它们不能再获取您的信息。`,
  label: '已授权的网站',
  waiting: '正在加载已授权的网站',
  empty: '没有授权的网站',
  emptyHint: '用本账号登录其他网站后，会显示在这里，您可以随时解除授权。',
  tryAgain: '重试',
  onlyLogin: '仅用于登录',
  since: '授权时间',
  lastUsed: '最近使用',
  unused: '久未使用',
  monthsAgo: (months: number) => `${months} 个月前`,
  yearsAgo: (years: number) => `${years} 年前`,
  revoke: '解除授权',
  revokeThis: (name: string) => `解除授权：${name}`,
  revoked: (name: string) => `已解除对${name}的授权`,
  ask: (name: string) => `解除对${name}的授权？`,
  askAgain: '下次用本账号登录该网站，需要重新授权',
  signsOut: '您会在该网站退出登录，下次需要重新登录',
  learnsNothing: (scopes: OidcScope[]) => {
    const words = scopes.flatMap((scope) => learnt[scope]?.split('、') ?? [])
    return words.length > 0 ? `它不能再获取您的${listed(words)}` : '它不能再识别您的账号'
  },
  stays: '已提供给它的信息不会自动删除，如需删除请联系该网站',
  cancel: '取消',
}
