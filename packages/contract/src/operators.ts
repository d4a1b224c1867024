import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { listOf, paging, userReference } from './fields.ts'

/** What an operator did, by the name under which it is recorded. */
export const operatorActions = [
  'site.create',
  'site.change',
  'config.save',
  'config.restore',
  'config.picture',
  'user.create',
  'user.read',
  'user.reveal',
  'user.enable',
  'user.disable',
  'user.signOut',
  'user.releaseMobile',
  'user.cancelRecovery',
  'user.resetFactors',
  'user.grant',
  'user.rights',
  'user.import',
  'user.export',
  'user.exportFile',
  'user.endSession',
  'client.grant',
  'client.read',
  'wechat.token',
  'wechat.menu',
  'wechat.send',
  'feedback.reply',
  'feedback.status',
  'reply.save',
  'reply.remove',
  'sealed.read',
  'keys.rotate',
  'webhook.resume',
] as const
export type OperatorAction = (typeof operatorActions)[number]

const who = z.object({ id: z.string(), name: z.string().nullable() }).meta({ id: 'LoggedUser' })

const entry = z
  .object({
    id: z.string(),
    time: z.number(),
    /** The operator; null for the command line. */
    operator: who.nullable(),
    /** The name given on the command line, or the operating system's user; null for an operator of the back-office. */
    by: z.string().nullable().optional(),
    /** The client that acted by itself through the management API. */
    client: who.nullable().optional(),
    action: z.string(),
    /** The user it was done to, where there is one. */
    person: who.nullable(),
    /** Any other target: a version, an app. */
    target: z.string().nullable(),
    /** The details that may be shown, e.g. the rights that were granted. */
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'OperatorLogEntry' })
export type OperatorEntry = z.infer<typeof entry>

export const queryOperatorLog = endpoint({
  path: '/api/merchant/log/query',
  summary: 'Who did what to whom, newest first.',
  access: 'merchantRead',
  limit: { calls: 600, seconds: 60 },
  input: paging.extend({
    operator: userReference.optional(),
    person: userReference.optional(),
    action: z.enum(operatorActions).optional(),
    from: z.int().min(0).max(8.64e15).optional(),
    to: z.int().min(0).max(8.64e15).optional(),
  }),
  output: listOf(entry).extend({ more: z.boolean() }),
})
