import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { Fingerprint, Plus, Smartphone, Ticket } from 'lucide-react'
import { useNow } from '../../lib/time/use-now.ts'
import { dayName, whenOf } from '../../lib/time/when.ts'
import { Card } from '../../ui/card.tsx'
import { ExplainedRow } from '../../ui/explained-row.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { fewCodes } from './codes/few-codes.ts'
import type { PasskeyAdding } from './passkeys/add-passkey-dialog.tsx'
import { useProtectionText } from './protection.text.ts'

interface Props {
  factors: FactorState
  adding: PasskeyAdding
}

/** Each kind of factor, how many there are and when it was used. */
export function ProtectionWays({ factors, adding }: Props) {
  const text = useProtectionText()
  return (
    <Card title={text.ways} rows>
      <PasskeysRow factors={factors} possible={adding.possible} />
      <TotpRow factors={factors} />
      <CodesRow factors={factors} />
      {factors.protected && adding.possible && <AddRow adding={adding} />}
    </Card>
  )
}

function PasskeysRow({ factors: { passkeys }, possible }: { factors: FactorState; possible: boolean }) {
  const { passkeys: text, count, when } = useProtectionText()
  const now = useNow()
  const [last] = [...passkeys].sort((one, other) => (other.lastUsed ?? 0) - (one.lastUsed ?? 0))
  const used = last?.lastUsed
    ? `${text.lastUsed(whenOf(last.lastUsed, now, when))}\u00a0· ${last.name}`
    : text.neverUsed
  const none = possible ? text.row : text.elsewhere
  return (
    <ExplainedRow
      icon={Fingerprint}
      name={text.title}
      line={last ? used : none}
      value={last ? count(passkeys.length) : text.unset}
      unset={!last}
      to={pages.protectionPasskeys}
    />
  )
}

function TotpRow({ factors: { totp } }: { factors: FactorState }) {
  const { totp: text, bound, notBound, when } = useProtectionText()
  const now = useNow()
  const created = totp && text.created(dayName(totp.created, now, when))
  const line = totp?.lastUsed && created ? text.used(created, dayName(totp.lastUsed, now, when)) : created
  return (
    <ExplainedRow
      icon={Smartphone}
      name={text.title}
      line={line ?? text.row}
      value={totp ? bound : notBound}
      unset={!totp}
      to={pages.protectionTotp}
    />
  )
}

function CodesRow({ factors: { protected: on, recovery } }: { factors: FactorState }) {
  const text = useProtectionText().codes
  const left = recovery?.left ?? 0
  const warn = on && left <= fewCodes
  const line = warn ? text.few(left) : text.row
  return (
    <ExplainedRow
      icon={Ticket}
      name={text.title}
      line={on ? line : text.rowOff}
      warn={warn}
      value={on ? text.left(left) : text.none}
      unset={!on}
      to={on ? pages.protectionCodes : undefined}
    />
  )
}

function AddRow({ adding }: Pick<Props, 'adding'>) {
  const text = useProtectionText().passkeys
  return (
    <>
      <button type="button" className="row add" aria-busy={adding.busy} onClick={adding.begin}>
        <Plus />
        <span className="name">{text.add}</span>
      </button>
      {adding.trouble && (
        <div className="protection-error">
          <ErrorLine message={adding.trouble} />
        </div>
      )}
    </>
  )
}
