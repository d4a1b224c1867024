import { FingerprintPattern } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { useFactorText } from './factor.text.ts'
import { ProveForm } from './prove-form.tsx'
import type { Factor } from './use-factor.ts'

interface Props {
  factor: Factor
  box: ReactNode
}

/** A passkey: the browser asks for it in its own dialog. */
export function PasskeyForm({ factor, box }: Props) {
  const text = useFactorText()
  const busy = factor.busy === 'passkey'
  return (
    <ProveForm onSubmit={factor.givePasskey}>
      <div className="factor-passkey">
        <FingerprintPattern />
        <p role="status">{busy ? text.passkeyWaiting : text.passkeyLine}</p>
      </div>
      {box}
      <ErrorLine message={factor.wrong('passkey')} />
      <Button type="submit" wide busy={busy}>
        {text.passkeyGo}
      </Button>
    </ProveForm>
  )
}
