import { useEffect, useRef } from 'react'
import { ResultMark } from '../../../ui/result-mark.tsx'
import { useDeviceText } from './device.text.ts'

/** The outcome; it stays, since the user looks at the other device meanwhile. */
export function DeviceResult({ approved }: { approved: boolean }) {
  const text = useDeviceText()
  const main = useRef<HTMLElement>(null)
  useEffect(() => main.current?.focus(), [])
  return (
    <main ref={main} className="hello device-result" id="main" tabIndex={-1}>
      <ResultMark good={approved} />
      <h1>{approved ? text.approved : text.rejected}</h1>
      <p>{approved ? text.approvedHint : text.rejectedHint}</p>
      <p className="device-hint">{text.close}</p>
    </main>
  )
}
