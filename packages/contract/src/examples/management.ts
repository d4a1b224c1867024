import type { Examples } from './example.ts'
import { maskedEmail, maskedMobile, time, userId } from './values.ts'

const user = {
  id: userId,
  status: 'active' as const,
  nickname: '小林',
  username: 'xiaolin',
  mobilePrefix: '86',
  mobile: maskedMobile,
  email: maskedEmail,
  password: true,
  wechat: false,
  protected: false,
  operator: false,
  since: time,
  closing: null,
}

export const managementExamples = {
  readManagedUser: { input: { id: userId }, output: user },
} satisfies Partial<Examples>
