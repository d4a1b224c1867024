import './scan-form.css'
import { Check, RefreshCw, WifiOff, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { Spinner } from '../../../ui/waiting.tsx'
import { WechatMark } from '../../../ui/wechat-mark.tsx'
import { Lead, type MethodProps } from '../login/lead.tsx'
import { useScanLoginText } from './scan-login.text.ts'
import { type Scan, useScan } from './use-scan.ts'

/**
 * Shows a code and waits until a user approves it elsewhere. The approver has an account and has agreed to the
 * site's terms with it, so nothing is asked here.
 */
export default function ScanForm({ onSignedIn }: Pick<MethodProps, 'onSignedIn'>) {
  const text = useScanLoginText().scan
  const scan = useScan(onSignedIn)
  const form = useRef<HTMLElement>(null)
  useEffect(() => {
    // The button that led here is gone, and the focus with it.
    if (document.activeElement === document.body) form.current?.focus({ preventScroll: true })
  }, [])
  const said = { scanned: text.scanned, rejected: text.rejected, expired: text.expired }
  return (
    <section ref={form} className="scan" tabIndex={-1} aria-label={text.title}>
      <Lead title={text.title} line={text.lead} />
      <div className={`plate ${scan.phase}`}>
        {scan.address && <QrCode content={scan.address} label={text.code} />}
        <Cover scan={scan} />
      </div>
      <Under scan={scan} />
      <span className="unseen" role="status">
        {said[scan.phase as keyof typeof said]}
      </span>
    </section>
  )
}

type Shown = { scan: Scan & { renew: () => void } }

/** The overlay of a code that can no longer be scanned. */
function Cover({ scan: { phase, failure, renew } }: Shown) {
  const text = useScanLoginText().scan
  if (phase === 'ready') return null
  if (phase === 'loading' || phase === 'approved') {
    return (
      <div className="cover">
        <Spinner label={text.loading} />
      </div>
    )
  }
  if (phase === 'scanned') {
    return (
      <div className="cover">
        <span className="scan-mark good">
          <Check />
        </span>
        <b>{text.scanned}</b>
      </div>
    )
  }
  const words = { rejected: text.rejected, expired: text.expired, failed: failure ?? text.failed }
  const buttons = { rejected: text.renew, expired: text.refresh, failed: text.retry }
  return (
    <div className="cover">
      {phase === 'rejected' && (
        <span className="scan-mark bad">
          <X />
        </span>
      )}
      <b role={phase === 'failed' ? 'alert' : undefined}>{words[phase]}</b>
      <Button onClick={renew}>
        <RefreshCw />
        {buttons[phase]}
      </Button>
    </div>
  )
}

/** One line under the code: an instruction, or the error. */
function Under({ scan: { phase, trouble, renew } }: Shown) {
  const text = useScanLoginText().scan
  if (trouble) {
    return (
      <p className="scan-say trouble" role="status">
        <WifiOff />
        {trouble === 'network' ? text.reconnecting : text.busy}
      </p>
    )
  }
  if (phase === 'scanned') {
    return (
      <div className="scan-say">
        <Button kind="text" onClick={renew}>
          {text.again}
        </Button>
      </div>
    )
  }
  return (
    <p className="scan-say">
      <WechatMark />
      {text.how}
    </p>
  )
}
