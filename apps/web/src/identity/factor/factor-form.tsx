import './factor.css'
import '../../ui/other-ways.css'
import type { FactorWay } from '@hufu/contract/factors'
import { FingerprintPattern, type LucideIcon, Smartphone, Ticket } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useFactorText } from './factor.text.ts'
import { PasskeyForm } from './factor-passkey.tsx'
import { RecoveryForm, TotpForm } from './factor-typed.tsx'
import { usePasskeys } from './passkey-support.ts'
import type { Factor } from './use-factor.ts'

interface Props {
  /** The factors of the account. */
  ways: FactorWay[]
  factor: Factor
  /** Stands before the button. */
  box?: ReactNode
  /** Stands under the other ways. */
  children?: ReactNode
}

const icons: Record<FactorWay, LucideIcon> = { passkey: FingerprintPattern, totp: Smartphone, recovery: Ticket }
const forms = { passkey: PasskeyForm, totp: TotpForm, recovery: RecoveryForm }
/** The first that the account has is shown at first. */
const order: FactorWay[] = ['totp', 'passkey', 'recovery']

/** One factor of the account, and the other ways to give one. */
export function FactorForm({ ways, factor, box, children }: Props) {
  const text = useFactorText()
  const passkeys = usePasskeys()
  const [chosen, setChosen] = useState<FactorWay>()
  const usable = order.filter((way) => ways.includes(way) && (way !== 'passkey' || passkeys))
  const way = usable.find((each) => each === chosen) ?? usable[0]
  const others = usable.filter((each) => each !== way)
  const Form = way && forms[way]
  // Nothing but a passkey, or a recovery code, opens the account.
  const lacking = ways.includes('passkey') && !passkeys && !ways.includes('totp')
  const choose = (other: FactorWay) => {
    // Asked for by the browser itself, so there is nothing to type.
    if (other === 'passkey') return factor.givePasskey()
    factor.clearFailure()
    setChosen(other)
  }
  return (
    <>
      {lacking && <Notice>{way ? text.useRecovery : text.noPasskeys}</Notice>}
      {Form && <Form key={way} factor={factor} box={box} />}
      <section className="others" aria-label={text.others}>
        {others.length > 0 && (
          <>
            <p aria-hidden="true">{text.others}</p>
            <div className="ways">
              {others.map((other) => (
                <Way key={other} way={other} busy={factor.busy === other} onChoose={() => choose(other)} />
              ))}
            </div>
          </>
        )}
        {way !== 'passkey' && <ErrorLine message={factor.wrong('passkey')} />}
        {children}
      </section>
    </>
  )
}

function Way({ way, busy, onChoose }: { way: FactorWay; busy: boolean; onChoose: () => void }) {
  const text = useFactorText()
  const Icon = icons[way]
  return (
    <button type="button" aria-busy={busy || undefined} onClick={onChoose}>
      <Icon />
      {text.ways[way]}
    </button>
  )
}
