import type { Pool } from 'pg'
import type { WechatOutcome } from '../../integrations/wechat/wechat.ts'
import { needsOperator } from '../../integrations/wechat/wechat-errors.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { counter } from '../../platform/metrics/metrics.ts'
import { type Noted, writeDeliveryFailures } from './delivery-failures.store.ts'

/**
 * Failures towards outside services: WeChat refuses for reasons that an operator can fix, a day's quota is spent when a
 * code is requested, and messages that were given up, by channel.
 */
const kinds = ['wechat', 'codeRefused', 'smsFailed', 'mailFailed', 'wechatNoticeFailed'] as const
export type DeliveryFailureKind = (typeof kinds)[number]

export interface DeliveryFailures {
  /** Neither throws nor waits. The code is the other side's error number. */
  note(site: SiteId, kind: DeliveryFailureKind, code?: number): void
  /** Writes what has been noted so far. */
  flush(): Promise<void>
  close(): Promise<void>
}

const failuresTotal = counter(
  'hufu_troubles_total',
  'Failures that operators see: messages given up, quotas spent, refusals by WeChat.',
)

// So that the first increase is visible to `increase()`.
for (const kind of kinds) failuresTotal.of({ kind })

/** A storm of failures changes a row once in this time. */
const writeEvery = 1_000

/**
 * Sums in the process and writes a moment later. Only hints for operators: a killed process loses what it noted last.
 */
export function startDeliveryFailures(pool: Pool, log: Log): DeliveryFailures {
  const noted = new Map<string, Noted>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function add({ siteId, kind, count, code }: Noted) {
    const key = `${siteId} ${kind}`
    noted.set(key, { siteId, kind, count: (noted.get(key)?.count ?? 0) + count, code })
  }

  async function write() {
    const batch = [...noted.values()]
    noted.clear()
    if (batch.length === 0) return
    await writeDeliveryFailures(pool, batch).catch((error) => {
      // Failures noted meanwhile are newer: their code stays.
      const newer = [...noted.values()]
      noted.clear()
      for (const one of [...batch, ...newer]) add(one)
      throw error
    })
  }

  let last: Promise<void> = Promise.resolve()
  function flush(): Promise<void> {
    last = last.catch(() => {}).then(write)
    return last
  }

  function later() {
    if (timer || closed) return
    timer = setTimeout(async () => {
      await flush().catch((error) => log.warn({ err: error }, 'delivery failures wait to be written'))
      timer = undefined
      if (noted.size > 0) later()
    }, writeEvery)
    timer.unref()
  }

  return {
    note(siteId, kind, code) {
      failuresTotal.add({ kind })
      add({ siteId, kind, count: 1, code: code ?? null })
      later()
    },
    flush,
    async close() {
      closed = true
      clearTimeout(timer)
      await flush()
    },
  }
}

/** Passes an outcome on; a refusal that an operator can fix is noted. */
export function noteRefusal<Data>(
  { deliveryFailures }: { deliveryFailures: Pick<DeliveryFailures, 'note'> },
  siteId: SiteId,
  outcome: WechatOutcome<Data>,
): WechatOutcome<Data> {
  if (outcome.kind === 'refused' && needsOperator(outcome.code)) deliveryFailures.note(siteId, 'wechat', outcome.code)
  return outcome
}
