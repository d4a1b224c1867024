import { scanCloseMs } from '@hufu/contract/scan-login-rules'
import { useEffect, useRef } from 'react'
import { useDevice } from '../../../lib/device/device.ts'
import { isWeChat } from '../../../lib/device/device-rules.ts'
import { closePage } from '../../../lib/history/close-page.ts'
import { ResultMark } from '../../../ui/result-mark.tsx'
import { useScanLoginText } from './scan-login.text.ts'

/** The outcome. Closes automatically; where the browser forbids that, the user is asked to close it. */
export function ApproveResult({ approved }: { approved: boolean }) {
  const text = useScanLoginText().approve
  const inWeChat = useDevice(isWeChat)
  const main = useRef<HTMLElement>(null)
  useEffect(() => main.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => closePage(inWeChat), scanCloseMs)
    return () => clearTimeout(timer)
  }, [inWeChat])
  return (
    <main ref={main} className="hello approve-result" id="main" tabIndex={-1}>
      <ResultMark good={approved} />
      <h1>{approved ? text.approved : text.rejected}</h1>
      <p>{approved ? text.approvedHint : text.rejectedHint}</p>
      <p className="approve-hint">{text.close}</p>
    </main>
  )
}
