import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'

/** Areas and the actions allowed in them, e.g. MERCHANT: READ. */
export const permission = z.record(z.string(), z.array(z.string()))
export type Permission = z.infer<typeof permission>

/** What a person set for the display; a field that isn't there follows the device. */
export const preference = z.object({
  dark: z.boolean().optional(),
  fontSize: z.union([z.literal(12), z.literal(16), z.literal(18)]).optional(),
  region: z.string().max(20).optional(),
  language: z.string().max(35).optional(),
})
export type Preference = z.infer<typeof preference>

const info = z.object({
  id: z.string(),
  /** Whether there is a picture at /api/avatar. */
  avatar: z.boolean(),
  nickname: z.string().nullable(),
  wechatNickname: z.string().nullable(),
  wechatOpenId: z.string().nullable(),
  mobilePrefix: z.string().nullable(),
  mobile: z.string().nullable(),
  username: z.string().nullable(),
  email: z.string().nullable(),
  /** Whether one is set. */
  password: z.boolean(),
  /** Whether an identity check was completed in this session within the last minutes. */
  twoFactor: z.boolean(),
  lastAccess: z.number().nullable(),
  permission,
  preference,
  /** The newest version of the agreements this person has agreed to. */
  agreements: z.string().nullable(),
})
export type UserInfo = z.infer<typeof info>

export const userInfo = endpoint({
  path: '/api/user/info',
  summary: 'Everything the own user centre shows.',
  access: 'user',
  input: nothing,
  output: info,
})
