import type { Person } from '@hufu/contract/merchant-users'
import { Fingerprint, Smartphone, Ticket } from 'lucide-react'
import { Card } from '../../ui/card.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'

/** The second factors of the account: how many, never which. */
export function UserFactors({ factors: { passkeys, totp, recovery } }: Pick<Person, 'factors'>) {
  const { user: text, unset } = useMerchantUsersText()
  const on = totp || passkeys > 0
  const rows = [
    { icon: Fingerprint, label: text.passkeys, value: passkeys > 0 && text.passkeyCount(passkeys), none: unset },
    { icon: Smartphone, label: text.totp, value: totp && text.bound, none: text.unbound },
    { icon: Ticket, label: text.recoveryCodes, value: on && text.codesLeft(recovery), none: text.noCodes },
  ]
  return (
    <Card title={on ? text.protectionOn : text.protectionOff} rows>
      {rows.map(({ icon: Icon, label, value, none }) => (
        <div className="row" key={label}>
          <Icon />
          <span className="name">{label}</span>
          <span className={value ? 'value' : 'value unset'}>{value || none}</span>
        </div>
      ))}
    </Card>
  )
}
