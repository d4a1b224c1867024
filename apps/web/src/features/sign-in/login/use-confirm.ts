import type { FactorRequired } from '@hufu/contract/factors'
import { useState } from 'react'
import { CallError } from '../../../lib/call/call.ts'
import { type Failure, failureOf } from '../../../lib/call/failure.ts'
import { withProofOfWork } from '../../../lib/call/with-proof-of-work.ts'
import { confirmLogin, factorIn, type WantedProofs, wantedProofs } from './login.api.ts'

interface Options {
  ticket: string
  agreements: string | undefined
  onSignedIn: () => void
  onFactor: (required: FactorRequired) => void
  onExpired: (failure: Failure<'mobile'>) => void
}

interface Answer {
  mine: boolean
  password?: string
  code?: string
  sure?: boolean
}

export type Confirm = ReturnType<typeof useConfirm>

const isExpired = (error: unknown) => error instanceof CallError && error.code === 'LOGIN_CONFIRM_EXPIRED'

/** Answers whose account it is, until the server accepts. */
export function useConfirm({ ticket, agreements, onSignedIn, onFactor, onExpired }: Options) {
  const [busy, setBusy] = useState(false)
  const [solving, setSolving] = useState(false)
  const [wanted, setWanted] = useState<WantedProofs>()
  const [failure, setFailure] = useState<Failure<'answer'>>()

  /** Runs a call of this ticket; errors are shown, except an expired ticket. */
  async function attempt(run: () => Promise<unknown>): Promise<void> {
    if (busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await run()
    } catch (error) {
      if (isExpired(error)) onExpired(failureOf(error, 'mobile'))
      else setFailure(failureOf(error, 'answer'))
    } finally {
      setBusy(false)
    }
  }

  const answer = (given: Answer) =>
    attempt(async () => {
      try {
        await withProofOfWork((proof) => confirmLogin({ ticket, agreements, ...given, proof }), setSolving)
        onSignedIn()
      } catch (error) {
        const factor = factorIn(error)
        if (factor) return onFactor(factor)
        const proofs = wanted ? undefined : wantedProofs(error)
        if (!proofs) throw error
        setWanted(proofs)
      }
    })

  return {
    busy,
    /** A proof of work is being made. */
    solving,
    setSolving,
    wanted,
    failure,
    answer,
    attempt,
    clearFailure: () => setFailure(undefined),
    /** Back to the question. */
    askAgain: () => {
      setWanted(undefined)
      setFailure(undefined)
    },
  }
}
