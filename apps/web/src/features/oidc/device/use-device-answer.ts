import type { DeviceAsked } from '@hufu/contract/oidc'
import { useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../../identity/step-up/two-factor.api.ts'
import { CallError } from '../../../lib/call/call.ts'
import { answerDevice, type DeviceAnswer } from './device.api.ts'

interface Answering {
  /** Which answer is on its way. */
  busy: boolean | undefined
  failure: string | undefined
  answer: (given: DeviceAnswer) => Promise<void>
}

/** A failed answer leads back to the card with the reason. */
export function useDeviceAnswer({ userCode }: DeviceAsked, onDone: (approved: boolean) => void): Answering {
  const [busy, setBusy] = useState<boolean>()
  const [failure, setFailure] = useState<string>()
  const askCheck = useAskCheck()

  async function answer(given: DeviceAnswer) {
    setBusy(given.accept)
    setFailure(undefined)
    try {
      await answerDevice(userCode, given)
      onDone(given.accept)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      // A protected account approves after a step-up by factor alone.
      if (isCheckOwed(error)) askCheck()
      else setFailure(error.message)
    } finally {
      setBusy(undefined)
    }
  }
  return { busy, failure, answer }
}
