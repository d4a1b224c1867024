import { useState } from 'react'
import { type Failure, failureOf } from '../../lib/call/failure.ts'

/** Nothing more can be done with this ticket, or with the recovery it was for. */
const overCodes = ['RECOVERY_EXPIRED', 'RECOVERY_NONE', 'RECOVERY_WAITING']

/**
 * Makes one call at a time. An error of the server is shown, some in words that fit better here, unless it
 * ends the recovery: that leads back to the start, with the reason.
 */
export function useAttempt<Field extends string>(
  onOver: (word: string) => void,
  words: Readonly<Record<string, string>> = {},
) {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure<Field>>()
  const refuse = (error: unknown, field: Field) => {
    const failed = failureOf(error, field)
    if (overCodes.includes(failed.code)) onOver(failed.message)
    else setFailure({ ...failed, message: words[failed.code] ?? failed.message })
  }
  async function attempt(run: () => Promise<unknown>, onRefused: (error: unknown) => void) {
    if (busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await run()
    } catch (error) {
      onRefused(error)
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    failure,
    refuse,
    clearFailure: () => setFailure(undefined),
    attempt: (run: () => Promise<unknown>, onRefused: (error: unknown) => void) => void attempt(run, onRefused),
  }
}
