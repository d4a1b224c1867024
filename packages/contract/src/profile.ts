import { z } from 'zod'
import { avatarRules } from './avatar-rules.ts'
import { endpoint, nothing } from './endpoint.ts'
import { upload } from './fields.ts'
import { recoveryPurpose } from './recovery.ts'

/** Areas and the actions allowed in them, e.g. MERCHANT: READ. */
export const permission = z.record(z.string(), z.array(z.string())).meta({ id: 'Permission' })
export type Permission = z.infer<typeof permission>

/** Display preferences of a user; a missing field follows the device. */
export const preference = z
  .object({
    dark: z.boolean().optional(),
    fontSize: z.union([z.literal(12), z.literal(16), z.literal(18)]).optional(),
    region: z
      .string()
      .regex(/^[\w-]{1,20}$/)
      .optional(),
    language: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,35}$/)
      .optional(),
  })
  .meta({ id: 'Preference' })
export type Preference = z.infer<typeof preference>

const info = z
  .object({
    id: z.string(),
    /** Whether there is a picture at /api/avatar. */
    avatar: z.boolean(),
    /** When it was set: the `t` under which browsers may cache it for good. */
    avatarTime: z.number().nullable(),
    nickname: z.string().nullable(),
    wechatNickname: z.string().nullable(),
    wechatOpenId: z.string().nullable(),
    mobilePrefix: z.string().nullable(),
    mobile: z.string().nullable(),
    username: z.string().nullable(),
    email: z.string().nullable(),
    /** Whether one is set. */
    password: z.boolean(),
    /** Whether a step-up was completed in this session within the last minutes. */
    twoFactor: z.boolean(),
    lastAccess: z.number().nullable(),
    permission,
    preference,
    /** The newest version of the agreements that the user has agreed to. */
    agreements: z.string().nullable(),
    /** When the account will be erased, where the user asked for that. */
    closing: z.number().nullable(),
    /** A recovery is in progress: from when a new number can be set, or the factors removed. */
    recovery: z.number().nullable(),
    /** What it is for; left out, the number. */
    recoveryPurpose: recoveryPurpose.nullable(),
    /** Whether signing in takes a second step. */
    protected: z.boolean(),
    /** Of an operator without a second factor: from when the back-office is refused; 0 where no grace is set. */
    enrolBy: z.number().nullable(),
  })
  .meta({ id: 'UserInfo' })
export type UserInfo = z.infer<typeof info>

export const userInfo = endpoint({
  path: '/api/user/info',
  summary: 'Everything the own user centre shows.',
  access: 'user',
  input: nothing,
  output: info,
})

export const changeNickname = endpoint({
  path: '/api/user/info/changeNickname',
  summary: 'Sets the nickname.',
  access: 'user',
  limit: { calls: 60, seconds: 60 },
  errors: ['NICKNAME_INVALID'],
  input: z.object({ nickname: z.string().max(200) }),
  output: z.null(),
})

export const changeAvatar = endpoint({
  path: '/api/user/info/changeAvatar',
  summary: 'Sets the picture: JPEG, PNG or WebP, kept as a square WebP without metadata.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  upload: { bytes: avatarRules.bytes },
  input: z.object({ file: upload }),
  output: z.object({ avatarTime: z.number() }),
})

export const changePreference = endpoint({
  path: '/api/user/preference',
  summary: 'Merges into what is set for the display; null unsets a field.',
  access: 'user',
  limit: { calls: 120, seconds: 60 },
  input: z.object({
    dark: preference.shape.dark.nullable(),
    fontSize: preference.shape.fontSize.nullable(),
    region: preference.shape.region.nullable(),
    language: preference.shape.language.nullable(),
  }),
  output: preference,
})
