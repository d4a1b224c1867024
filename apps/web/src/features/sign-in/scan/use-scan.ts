import { scanPollMs, scanStatus } from '@hufu/contract/scan-login-rules'
import { useEffect, useEffectEvent, useState } from 'react'
import { CallError, networkError } from '../../../lib/call/call.ts'
import { retryAfter } from '../../../lib/call/failure.ts'
import { pause } from './pause.ts'
import { checkRequest, createRequest, type ScanRequest } from './scan-login.api.ts'

export interface Scan {
  phase: 'loading' | 'failed' | 'ready' | 'scanned' | 'approved' | 'rejected' | 'expired'
  /** What the code holds. */
  address?: string
  /** Why there is none. */
  failure?: string
  /** Why polling fails at the moment; it is retried automatically. */
  trouble?: 'network' | 'busy' | undefined
}

const phases: Record<number, Scan['phase']> = {
  [scanStatus.waiting]: 'ready',
  [scanStatus.scanned]: 'scanned',
  [scanStatus.approved]: 'approved',
  [scanStatus.rejected]: 'rejected',
}

/** The states in which polling continues. */
const isOpen = ({ phase, trouble }: Partial<Scan>) => trouble || phase === 'ready' || phase === 'scanned'

/** What a failed call means for the page: a temporary failure, or the end of the request. */
function endOf(error: unknown): Partial<Scan> {
  if (!(error instanceof CallError)) throw error
  if (error.code === networkError.code) return { trouble: 'network' }
  if (error.status === 503 || error.status === 429) return { trouble: 'busy' }
  if (error.code === 'LOGIN_REQUEST_EXPIRED') return { phase: 'expired' }
  return { phase: 'failed', failure: error.message }
}

/** The longest pause after failures in a row. */
const longestMs = 5_000

/** Polls until the request is over, never twice at once. */
async function follow(request: ScanRequest, left: AbortSignal, show: (change: Partial<Scan>) => void) {
  let failures = 0
  let ms: number = scanPollMs
  while (await pause(ms, left)) {
    const asked = performance.now()
    let wanted = 0
    const polled = await checkRequest(request).then(
      ({ status }): Partial<Scan> => ({ phase: phases[status] ?? 'failed' }),
      (error) => {
        wanted = (retryAfter(error) ?? 0) * 1000
        return endOf(error)
      },
    )
    show({ trouble: undefined, ...polled })
    if (!isOpen(polled)) return
    failures = polled.trouble ? failures + 1 : 0
    const spent = performance.now() - asked
    ms = failures > 0 ? Math.min(longestMs, wanted || scanPollMs * 2 ** failures) : Math.max(0, scanPollMs - spent)
  }
}

/** Makes a request and waits for the decision, for as long as this method is the chosen one. */
export function useScan(onSignedIn: () => void): Scan & { renew: () => void } {
  const [scan, setScan] = useState<Scan>({ phase: 'loading' })
  const [round, setRound] = useState(0)
  const signedIn = useEffectEvent(onSignedIn)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a request of its own
  useEffect(() => {
    const left = new AbortController()
    const show = (change: Partial<Scan>) => {
      if (left.signal.aborted) return
      setScan((shown) => ({ ...shown, ...change }))
      if (change.phase === 'approved') signedIn()
    }
    async function run() {
      setScan({ phase: 'loading' })
      try {
        const { request, address } = await createRequest()
        show({ phase: 'ready', address })
        await follow(request, left.signal, show)
      } catch (error) {
        if (!(error instanceof CallError)) throw error
        show({ phase: 'failed', failure: error.message })
      }
    }
    void run()
    return () => left.abort()
  }, [round])

  return { ...scan, renew: () => setRound((before) => before + 1) }
}
