import type { ConfigFault } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { mask } from './config-secrets.ts'

type Webhook = NonNullable<SiteConfig['webhooks']>[number]

const plainId = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const ownMachine = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** As Standard Webhooks demands: 24 to 64 bytes. */
function isWebhookSecret(text: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1]
  const bytes = encoded === undefined ? 0 : Buffer.from(encoded, 'base64').length
  return bytes >= 24 && bytes <= 64
}

function* faultsOf({ id, url, secret, previousSecret }: Webhook): Generator<ConfigFault> {
  if (!plainId.test(id)) yield { path: ['id'], message: '只能由英文字母、数字和 _ - 组成，并以字母或数字开头' }
  const { origin, username, password, hash } = new URL(url)
  if (!origin.startsWith('https://') && !ownMachine.test(origin))
    yield { path: ['url'], message: '须以 https:// 开头，本机地址除外' }
  else if (username || password || hash) yield { path: ['url'], message: '不能含有用户名、密码或 # 之后的内容' }
  for (const [field, value] of Object.entries({ secret, previousSecret })) {
    if (value === undefined || value === mask || isWebhookSecret(value)) continue
    yield { path: [field], message: '须以 whsec_ 开头，其后是 24 至 64 字节的 Base64' }
  }
}

export const webhookRules: ((config: SiteConfig) => ConfigFault[])[] = [
  ({ webhooks = [] }) =>
    webhooks.flatMap((webhook, at) =>
      [...faultsOf(webhook)].map(({ path, message }) => ({ path: ['webhooks', at, ...path], message })),
    ),
  ({ webhooks = [] }) =>
    webhooks.flatMap(({ id }, at) =>
      webhooks.findIndex((other) => other.id === id) < at
        ? [{ path: ['webhooks', at, 'id'], message: '编号重复，每个接收地址须有自己的编号' }]
        : [],
    ),
]
