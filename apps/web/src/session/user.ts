import { avatarPath } from '@hufu/contract/avatar-rules'
import type { UserInfo } from '@hufu/contract/profile'
import { maskMobile } from '../lib/mobile-number.ts'

type Named = Pick<UserInfo, 'nickname' | 'wechatNickname' | 'mobile' | 'username' | 'email'>

export function nameOf({ nickname, wechatNickname, mobile, username, email }: Named): string {
  return nickname || wechatNickname || (mobile && maskMobile(mobile)) || username || email || ''
}

export function shownMobile({ mobilePrefix, mobile }: Pick<UserInfo, 'mobilePrefix' | 'mobile'>): string | undefined {
  return mobile ? `+${mobilePrefix} ${maskMobile(mobile)}` : undefined
}

/** zh****@example.com: enough to recognise the own address. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const shown = at > 2 ? 2 : 1
  return `${email.slice(0, shown)}****${email.slice(at)}`
}

/** Where the user's picture is, if there is one; another address for every new one. */
export function pictureOf({ id, avatar, avatarTime }: Pick<UserInfo, 'id' | 'avatar' | 'avatarTime'>) {
  return avatar && avatarTime !== null ? avatarPath(id, avatarTime) : undefined
}
