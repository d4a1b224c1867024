import type { UserInfo } from '@hufu/contract/profile'
import { maskMobile } from '../../lib/mobile-number.ts'

type Named = Pick<UserInfo, 'nickname' | 'wechatNickname' | 'mobile' | 'username' | 'email'>

export function nameOf({ nickname, wechatNickname, mobile, username, email }: Named): string {
  return nickname || wechatNickname || (mobile && maskMobile(mobile)) || username || email || ''
}

export function shownMobile({ mobilePrefix, mobile }: Pick<UserInfo, 'mobilePrefix' | 'mobile'>): string | undefined {
  return mobile ? `+${mobilePrefix} ${maskMobile(mobile)}` : undefined
}
