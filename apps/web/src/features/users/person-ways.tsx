import type { Person } from '@hufu/contract/merchant-users'
import { AtSign, KeyRound, type LucideIcon, Mail, Smartphone } from 'lucide-react'
import type { ComponentType } from 'react'
import { useMerchantText } from '../../lib/merchant-text.ts'
import { groupMobile } from '../../lib/mobile-number.ts'
import { Card } from '../../ui/card.tsx'
import { WechatMark } from '../../ui/wechat-mark.tsx'

export const wholeMobile = ({ mobilePrefix, mobile }: Pick<Person, 'mobilePrefix' | 'mobile'>) =>
  mobile === null ? null : `+${mobilePrefix} ${groupMobile(mobile)}`

/** Everything the person can sign in with, whole: an operator compares it with what they are told. */
export function PersonWays({ person }: { person: Person }) {
  const { person: text, unset } = useMerchantText()
  const ways: { icon: LucideIcon | ComponentType; label: string; value: string | null; none?: string }[] = [
    { icon: Smartphone, label: text.mobile, value: wholeMobile(person) },
    { icon: Mail, label: text.email, value: person.email },
    { icon: AtSign, label: text.username, value: person.username },
    { icon: KeyRound, label: text.password, value: person.password ? text.set : null },
    { icon: WechatMark, label: text.wechat, value: person.wechat ? text.bound : null, none: text.unbound },
  ]
  return (
    <Card title={text.ways} rows>
      {ways.map(({ icon: Icon, label, value, none = unset }) => (
        <div className="row" key={label}>
          <Icon />
          <span className="name">{label}</span>
          <span className={value === null ? 'value unset' : 'value'}>{value ?? none}</span>
        </div>
      ))}
    </Card>
  )
}
