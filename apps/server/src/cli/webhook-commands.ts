import { findSite, readConfig } from '../features/site/site.service.ts'
import { finishWebhookRotation, rotateWebhook } from '../features/site/webhooks.service.ts'
import { listWebhooks, resumeWebhook } from '../features/webhooks/webhooks.service.ts'
import type { Options } from './cli.ts'
import { type Command, type Print, required } from './command.ts'

type Webhook = Awaited<ReturnType<typeof listWebhooks>>[number]

/** What operators do with the receivers of events. A command ends when its change counts on all processes. */
export const webhookCommands = (
  options: Options,
  operator: string,
  print: Print,
  untilFollowed: () => Promise<void>,
): Record<string, Command> => ({
  async 'webhook list'(deps, [site]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const { config } = await readConfig(deps, siteId)
    for (const webhook of await listWebhooks(deps, siteId, config)) print(lineOf(webhook))
  },
  async 'webhook rotate'(deps, [site]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const id = required(options.id, '--id')
    if (options.finish) await finishWebhookRotation(deps, siteId, id, operator)
    else {
      print(await rotateWebhook(deps, siteId, id, operator))
      console.error('deliveries are signed by the former secret too until: hufu webhook rotate SITE --id … --finish')
    }
    await untilFollowed()
  },
  async 'webhook resume'(deps, [site]) {
    await resumeWebhook(deps, await findSite(deps, required(site, 'SITE')), required(options.id, '--id'), operator)
  },
})

function lineOf({ id, state, reason, secrets, waiting, lag, failures, url, types }: Webhook): string {
  const signed = secrets === 0 ? 'NO-SECRET' : secrets === 1 ? 'secret' : 'two-secrets'
  const wanted = types.length === 0 ? 'all' : types.join(',')
  const health = failures > 0 ? `failures=${failures}` : 'ok'
  return [
    id,
    reason ? `${state}(${reason})` : state,
    signed,
    health,
    `waiting=${waiting}`,
    `lag=${Math.round(lag)}s`,
    url,
    wanted,
  ].join('  ')
}
