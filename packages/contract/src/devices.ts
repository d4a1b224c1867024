import { z } from 'zod'
import { endpoint, nothing } from './endpoint.ts'
import { listOf, paging } from './fields.ts'

const limit = { calls: 300, seconds: 60 }

export const device = z
  .object({
    id: z.string(),
    browser: z.string(),
    device: z.string(),
    os: z.string(),
    /** The address it signed in from. */
    ip: z.string(),
    /** The IP region, where known. */
    region: z.string().nullable(),
    time: z.number(),
    lastAccess: z.number(),
    current: z.boolean(),
  })
  .meta({ id: 'Device' })
export type SignedInDevice = z.infer<typeof device>

export const listDevices = endpoint({
  path: '/api/user/token/list',
  summary: 'The live sessions of the user, newest first.',
  access: 'user',
  input: paging,
  output: listOf(device),
})

export const removeDevice = endpoint({
  path: '/api/user/token/remove',
  summary: 'Signs one of the own browsers out; the current one is signed out like by the button.',
  access: 'user',
  limit,
  errors: ['NOT_FOUND'],
  input: z.object({ id: z.uuid() }),
  output: z.null(),
})

export const removeOtherDevices = endpoint({
  path: '/api/user/token/removeAll',
  summary: 'Signs every browser out but this one.',
  access: 'user',
  limit,
  input: nothing,
  output: z.object({ removed: z.number() }),
})
