import type { UserInfo } from '@hufu/contract/profile'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { useGoBack } from '../../lib/history/go-back.ts'
import { adopt, visitorQuery } from '../../session/profile.api.ts'
import { showToast } from '../../ui/toast.tsx'
import { useAccountText } from './account.text.ts'

interface Options {
  /** The server's error, except an expired check: that is made again, and the input is kept. */
  onRefused: (error: unknown) => void
}

/** Makes a change once, even if submitted twice, and goes back one page when it is done. */
export function useChange({ onRefused }: Options) {
  const text = useAccountText()
  const client = useQueryClient()
  const askCheck = useAskCheck()
  const goBack = useGoBack()
  const [busy, setBusy] = useState(false)

  async function make(run: () => Promise<unknown>, becomes: Partial<UserInfo>) {
    if (busy) return
    setBusy(true)
    try {
      await run()
    } catch (error) {
      setBusy(false)
      return isCheckOwed(error) ? askCheck() : onRefused(error)
    }
    await adopt(client, () => becomes)
    void client.invalidateQueries({ queryKey: visitorQuery.queryKey })
    showToast('good', text.changed)
    goBack(1)
  }
  return { busy, make: (run: () => Promise<unknown>, becomes: Partial<UserInfo>) => void make(run, becomes) }
}
