import { setTimeout as pause } from 'node:timers/promises'
import type { Batch } from './write-batch.ts'

/** The next batch is read while this one is written. */
export async function forEachBatch(
  batches: AsyncGenerator<Batch>,
  work: (batch: Batch) => Promise<void>,
): Promise<void> {
  let next = batches.next()
  for (;;) {
    const { value, done } = await next
    if (done) return
    next = batches.next()
    // Its failure is thrown by the next round, after this batch.
    next.catch(() => {})
    await work(value)
  }
}

/** Waits until so many rows should have been done since the beginning. */
export function throttle(rate: number | undefined): (rows: number) => Promise<void> {
  const began = performance.now()
  let done = 0
  return async (rows) => {
    done += rows
    if (rate) await pause(Math.max(0, (done / rate) * 1000 - (performance.now() - began)))
  }
}

export const rowsOf = ({ users, refusals }: Batch): number =>
  users.length + new Set(refusals.map(({ line }) => line)).size
