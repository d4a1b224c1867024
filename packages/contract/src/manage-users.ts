import { z } from 'zod'
import { managed } from './endpoint.ts'

const id = z.uuid()

/** Which users a machine sees, and how: masked, unless its token has `users:contact`. */
export const managedUser = z
  .object({
    id: z.string(),
    status: z.enum(['active', 'disabled']),
    nickname: z.string().nullable(),
    username: z.string().nullable(),
    mobilePrefix: z.string().nullable(),
    /** Masked, as is the e-mail, unless the token has `users:contact`. */
    mobile: z.string().nullable(),
    email: z.string().nullable(),
    password: z.boolean(),
    wechat: z.boolean(),
    /** Whether the account has a second factor. */
    protected: z.boolean(),
    /** Whether the user has rights in the back-office: machines can't act on such a user. */
    operator: z.boolean(),
    since: z.number(),
    /** When the account will be erased, where the user asked for that. */
    closing: z.number().nullable(),
  })
  .meta({ id: 'ManagedUser' })
export type ManagedUser = z.infer<typeof managedUser>

export const readManagedUser = managed({
  method: 'GET',
  path: '/api/manage/v1/users/:id',
  summary: 'A user by id. Number and address are masked unless the token has the scope users:contact.',
  scope: 'users:read',
  tagged: true,
  errors: ['NOT_FOUND'],
  input: z.object({ id }),
  output: managedUser,
})
