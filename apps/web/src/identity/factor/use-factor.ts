import type { FactorWay } from '@hufu/contract/factors'
import { useState } from 'react'
import { CallError, type CallInput } from '../../lib/call/call.ts'
import { retryAfter } from '../../lib/call/failure.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import { useCountdown } from '../verify-code/use-countdown.ts'
import { useFactorText } from './factor.text.ts'
import type { PasskeyOptions } from './passkey.ts'

export type FactorProof = Pick<CallInput<'/api/login/factor'>, FactorWay>

interface Options {
  passkeyOptions: () => Promise<PasskeyOptions>
  /** Gives the factor to the server, with a proof of work where it wants one. */
  give: (factor: FactorProof, proof: string | undefined) => Promise<unknown>
  onProved: () => void
  /** The sign-in that it belongs to has expired. */
  onExpired?: () => void
}

interface Failure {
  way: FactorWay
  message: string
}

export type Factor = ReturnType<typeof useFactor>

const codeOf = (error: unknown) => (error instanceof CallError ? error.code : undefined)

/** Gives one factor at a time. After too many wrong codes typed ones are refused for a time, passkeys aren't. */
export function useFactor({ passkeyOptions, give, onProved, onExpired }: Options) {
  const text = useFactorText()
  const [busy, setBusy] = useState<FactorWay>()
  const [solving, setSolving] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [pausedUntil, setPausedUntil] = useState(0)
  const paused = useCountdown(pausedUntil)

  function refuse(way: FactorWay, error: unknown) {
    const code = codeOf(error)
    const wait = code === 'FACTOR_PAUSED' ? retryAfter(error) : undefined
    if (code === undefined) throw error
    if (code === 'FACTOR_EXPIRED' && onExpired) return onExpired()
    if (wait !== undefined) setPausedUntil(Date.now() + wait * 1000)
    else setFailure({ way, message: (error as CallError).message })
  }

  /** False where it wasn't accepted. */
  async function attempt(way: FactorWay, factor: () => Promise<FactorProof | undefined>): Promise<boolean> {
    if (busy) return false
    setBusy(way)
    setFailure(undefined)
    try {
      const proved = await factor()
      if (proved) await withProofOfWork((proof) => give(proved, proof), setSolving)
      if (proved) onProved()
      return proved !== undefined
    } catch (error) {
      refuse(way, error)
      return false
    } finally {
      setBusy(undefined)
    }
  }

  /** The message where the browser has given none. */
  async function passkey(): Promise<FactorProof | undefined> {
    const [{ askPasskey, PasskeyError }, options] = await Promise.all([import('./passkey.ts'), passkeyOptions()])
    const given = await askPasskey(options).catch((error) => {
      if (error instanceof PasskeyError) return error
      throw error
    })
    if (given && !(given instanceof Error)) return { passkey: given }
    setFailure({ way: 'passkey', message: given ? text.unusable : text.unanswered })
    return undefined
  }

  const typed = (way: 'totp' | 'recovery', code: string) =>
    paused > 0 ? Promise.resolve(false) : attempt(way, async () => ({ [way]: code }))
  return {
    busy,
    solving,
    paused: paused > 0,
    /** What is wrong with a way, if anything. */
    wrong: (way: FactorWay) => {
      if (paused > 0 && way !== 'passkey') return text.pausedFor(paused)
      return failure?.way === way ? failure.message : undefined
    },
    clearFailure: () => setFailure(undefined),
    giveTyped: typed,
    givePasskey: () => void attempt('passkey', passkey),
  }
}
