import type { Person, RevealedField } from '@hufu/contract/merchant-users'
import { AtSign, Eye, KeyRound, type LucideIcon, Mail, Smartphone } from 'lucide-react'
import type { ComponentType } from 'react'
import { groupMobile } from '../../lib/mobile-number.ts'
import { IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { WechatMark } from '../../ui/wechat-mark.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useReveal } from './user.api.ts'

export const wholeMobile = ({ mobilePrefix, mobile }: Pick<Person, 'mobilePrefix' | 'mobile'>) =>
  mobile === null ? null : `+${mobilePrefix} ${groupMobile(mobile)}`

interface Way {
  icon: LucideIcon | ComponentType
  label: string
  value: string | null
  none?: string
  field?: RevealedField
}

/** What the user signs in with. Number and address are masked until the operator asks for them, which is recorded. */
export function UserWays({ user }: { user: Person }) {
  const { user: text, unset } = useMerchantUsersText()
  const { revealed, reveal, busy } = useReveal(user.id)
  const shown = { ...user, ...revealed }
  const ways: Way[] = [
    { icon: Smartphone, label: text.mobile, value: wholeMobile(shown), field: 'mobile' },
    { icon: Mail, label: text.email, value: shown.email, field: 'email' },
    { icon: AtSign, label: text.username, value: user.username },
    { icon: KeyRound, label: text.password, value: user.password ? text.set : null },
    { icon: WechatMark, label: text.wechat, value: user.wechat ? text.bound : null, none: text.unbound },
  ]
  return (
    <Card title={text.ways} rows>
      {ways.map(({ icon: Icon, label, value, none = unset, field }) => (
        <div className="row" key={label}>
          <Icon />
          <span className="name">{label}</span>
          <span className={value === null ? 'value unset' : 'value'}>{value ?? none}</span>
          {field && value !== null && revealed[field] === undefined && (
            <IconButton label={text.reveal(label)} disabled={busy} onClick={() => reveal(field)}>
              <Eye />
            </IconButton>
          )}
        </div>
      ))}
    </Card>
  )
}
