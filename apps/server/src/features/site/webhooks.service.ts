import { randomBytes } from 'node:crypto'
import type { SiteConfig } from '@hufu/contract/site'
import { AppError } from '../../platform/app-error.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { mask } from './config-secrets.ts'
import { readConfig, saveConfig } from './site.service.ts'

type Needs = Pick<Deps, 'db' | 'config'>
type Webhook = NonNullable<SiteConfig['webhooks']>[number]

const newWebhookSecret = () => `whsec_${randomBytes(32).toString('base64')}`

/** A new secret; deliveries are signed by the former one as well until the rotation is finished. */
export async function rotateWebhook(deps: Needs, siteId: SiteId, id: string, operator: string): Promise<string> {
  const secret = newWebhookSecret()
  await changeWebhook(deps, siteId, id, operator, (webhook) => {
    if (webhook.previousSecret)
      throw new AppError('INPUT_INVALID', {
        field: 'previousSecret',
        reason: 'deliveries have two signatures already; --finish ends the former one',
      })
    return { ...webhook, secret, ...(webhook.secret && { previousSecret: mask }) }
  })
  return secret
}

/** Deliveries are no longer signed by the former secret. */
export async function finishWebhookRotation(deps: Needs, siteId: SiteId, id: string, operator: string): Promise<void> {
  await changeWebhook(deps, siteId, id, operator, ({ previousSecret, ...webhook }) => {
    if (!previousSecret) throw new AppError('INPUT_INVALID', { reason: 'no rotation is under way' })
    return webhook
  })
}

async function changeWebhook(
  deps: Needs,
  siteId: SiteId,
  id: string,
  operator: string,
  change: (webhook: Webhook) => object,
): Promise<void> {
  const { version: basedOn, config } = await readConfig(deps, siteId)
  if (!config.webhooks?.some((webhook) => webhook.id === id)) throw new AppError('NOT_FOUND', { webhook: id })
  const webhooks = config.webhooks.map((webhook) => (webhook.id === id ? change(webhook) : webhook))
  const rotated = { section: 'webhooks', id } as const
  await saveConfig(deps, siteId, { config: { ...config, webhooks }, basedOn, rotated }, operator)
}
