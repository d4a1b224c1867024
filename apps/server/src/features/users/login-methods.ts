import type { LoginMethod } from '@hufu/contract/site'
import type { LoginOptions } from '../../shared/sites/login-options.ts'
import type { Site } from '../../shared/sites/sites.ts'

/** What an account has to sign in with. */
export interface Credentials {
  mobile: string | null
  email: string | null
  username: string | null
  password: boolean
  /** Whether some WeChat signs in to the account. */
  wechat: boolean
}

/** What each sign-in method needs of the account and of the site. */
const methods: Record<LoginMethod, (has: Credentials, login: LoginOptions) => boolean> = {
  mobile: ({ mobile }) => Boolean(mobile),
  password: ({ password, mobile, email, username }) => password && Boolean(mobile || email || username),
  wechat: ({ wechat }, { wechatEnabled }) => wechat && wechatEnabled,
}

/** Whether the site offers a method by which an account with these credentials can sign in. */
export const canSignIn = ({ login }: Pick<Site, 'login'>, has: Credentials): boolean =>
  login.methods.some((method) => methods[method](has, login))
