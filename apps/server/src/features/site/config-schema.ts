import { siteConfig } from '@hufu/contract/site'
import { sms } from '@hufu/contract/site-sections'
import { z } from 'zod'
import { smsGateways } from '../../integrations/sms/gateways.ts'

const kinds = Object.entries(smsGateways)
const sentence = `短信服务商：${kinds.map(([kind, { name }]) => `${kind} ${name}`).join('，')}`

const ofKind = (kind: string, fields: z.core.$ZodLooseShape) =>
  z.looseObject({ kind: z.literal(kind).describe(sentence), ...fields })

type Account = ReturnType<typeof ofKind>

const account = z.discriminatedUnion(
  'kind',
  kinds.map(([kind, { fields }]) => ofKind(kind, fields)) as [Account, ...Account[]],
)

/** What an operator may write: the contract's schema, with what each SMS gateway asks for. */
export const configSchema = siteConfig.extend({
  sms: sms
    .extend({ gateways: z.array(account).max(5).optional().describe('短信通道，前一个无法发送时使用后一个') })
    .optional()
    .describe('短信'),
})
