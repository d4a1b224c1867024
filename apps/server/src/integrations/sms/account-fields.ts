import { z } from 'zod'
import type { SmsSecret } from './gateway.ts'

const text = z.string().max(200)

const templates = z
  .record(z.string(), text)
  .optional()
  .describe('各用途的模板编号：login、changeMobile、twoFactor、recoveryMobile、notice、feedback')

const signName = text.describe('短信签名')

/** An account whose requests are signed with a key. */
export const keyed = {
  keyId: text.describe('访问密钥的编号，修改后需要重新填写密钥'),
  secret: z.string().min(1).max(512).optional().describe('访问密钥，保存后显示为 ********'),
  signName,
  region: text.optional().describe('服务商的地域，例如 ap-guangzhou'),
  templates,
}

export interface KeyedAccount {
  kind: string
  keyId: string
  secret?: string | undefined
  signName: string
  region?: string | undefined
  templates?: Readonly<Record<string, string>> | undefined
}

export const keyedSecrets = (account: KeyedAccount): SmsSecret[] => [
  {
    holder: account as unknown as SmsSecret['holder'],
    key: 'secret',
    owner: `${account.kind}/${account.keyId}`,
    field: 'keyId',
  },
]
