import '../../../ui/card.css'
import '../../../ui/fields/field.css'
import '../../../ui/fields/form-card.css'
import './totp.css'
import { Copy, ExternalLink } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { copyText } from '../../../lib/copy-text.ts'
import { useDevice } from '../../../lib/device/device.ts'
import { isPortrait, isWeChat } from '../../../lib/device/device-rules.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useProtectionText } from '../protection.text.ts'

const QrCode = lazy(async () => ({ default: (await import('../../../ui/qr-code.tsx')).QrCode }))

interface Props {
  /** Base32. */
  secret: string
  /** otpauth:// */
  uri: string
  onNext: () => void
}

/** The secret as a code to scan, as text, and on phones as a link that opens the app. */
export function TotpScanStep({ secret, uri, onNext }: Props) {
  const text = useProtectionText().totp
  const portrait = useDevice(isPortrait)
  // WeChat opens no links of other apps.
  const opens = !useDevice(isWeChat) && portrait
  return (
    <section className="card form-card">
      <div className="protection-head">
        <h2>{text.scanTitle}</h2>
        <p>{opens ? text.scanLeadSame : text.scanLead}</p>
      </div>
      <div className="protection-plate">
        <Suspense>
          <QrCode content={uri} label={text.qr} long />
        </Suspense>
      </div>
      <Secret secret={secret} />
      {opens && (
        <a className="btn soft wide" href={uri}>
          <ExternalLink />
          {text.open}
        </a>
      )}
      <Button wide onClick={onNext}>
        {text.next}
      </Button>
    </section>
  )
}

function Secret({ secret }: { secret: string }) {
  const { totp: text, copyFailed } = useProtectionText()
  const groups = secret.match(/.{1,4}/g) ?? []
  const copy = () =>
    copyText(secret).then(
      () => showToast('good', text.copied),
      () => showToast('bad', copyFailed),
    )
  return (
    <div className="field">
      <p className="label">{text.manual}</p>
      <div className="protection-secret">
        <code>
          {groups.map((group, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: groups never move
            <span key={place}>{group} </span>
          ))}
        </code>
        <Button kind="quiet" onClick={copy}>
          <Copy />
          {text.copy}
        </Button>
      </div>
    </div>
  )
}
