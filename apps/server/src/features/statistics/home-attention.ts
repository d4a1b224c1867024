import type { Attention } from '@hufu/contract/statistics'
import type { Deps } from '../../shared/deps.ts'
import { codeLimits, nearlySpent, openTo } from '../../shared/send-limits/code-limits.ts'
import { readBooked, readBusiestPrefix } from '../../shared/send-limits/send-counters.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type NotedFailure, readDeliveryFailures, readOperatorActions } from './home.store.ts'

/** Shown in this order. */
const kinds = ['wechat', 'codeRefused', 'smsFailed', 'mailFailed', 'wechatNoticeFailed'] as const

function attentionTo(kind: (typeof kinds)[number], failures: NotedFailure[]): Attention[] {
  const found = failures.find((failure) => failure.kind === kind)
  if (!found) return []
  const { count, time, code, recent } = found
  if (kind === 'wechat') return recent ? [{ kind, errcode: code, time }] : []
  return [{ kind, count, time }]
}

type Budget = Extract<Attention, { kind: 'smsBudget' }>

/** From here on browsers that no account knows get no codes. */
const refusesCalls = ({ sent, open }: Budget) => sent >= open

/**
 * How far the day's SMS quota is spent, of the site and of the dial prefix nearest its end; the fuller first. What
 * can't be counted is left out.
 */
async function readSpending(deps: Pick<Deps, 'redis'>, site: Site): Promise<Budget[]> {
  const { prefixDay, siteDay } = codeLimits(site.config)
  const found: Budget[] = []
  const [open, openOfPrefix] = [openTo('stranger', siteDay), openTo('stranger', prefixDay)]
  const sent = await readBooked(deps, site.id)
  if (sent !== null && sent >= open) found.push({ kind: 'smsBudget', sent, open, budget: siteDay })
  const busiest = await readBusiestPrefix(deps, site.id, site.login.prefixes)
  if (busiest && busiest.sent >= openOfPrefix * nearlySpent)
    found.push({ kind: 'smsBudget', ...busiest, open: openOfPrefix, budget: prefixDay })
  return found.toSorted((one, other) => other.sent / other.budget - one.sent / one.budget)
}

/** What operators should look after, the worst first. */
export async function readAttention(deps: Pick<Deps, 'db' | 'redis'>, site: Site): Promise<Attention[]> {
  const failures = await readDeliveryFailures(deps.db, site.id)
  const spending = await readSpending(deps, site)
  return [
    ...spending.filter(refusesCalls),
    ...(await readOperatorActions(deps.db, site.id)),
    ...kinds.flatMap((kind) => attentionTo(kind, failures)),
    ...spending.filter((budget) => !refusesCalls(budget)),
  ]
}
