import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { Mail, Smartphone } from 'lucide-react'
import type { ComponentType } from 'react'
import { Link } from 'react-router'
import { maskMobile } from '../../lib/mobile-number.ts'
import { maskEmail } from '../../session/user.ts'
import { useSite } from '../../site/site.store.ts'
import { WechatMark } from '../../ui/wechat-mark.tsx'
import { ProtectStep } from './protect-step.tsx'
import { useSecurityText } from './security.text.ts'

/** An intruder may have set a number or address of their own. */
export function Contacts({ user }: { user: UserInfo }) {
  const text = useSecurityText().protect
  const wechatEnabled = useSite((site) => site.wechatEnabled)
  const { mobile, email, wechatOpenId, wechatNickname } = user
  const wechat = wechatOpenId ? wechatNickname || text.bound : undefined
  return (
    <ProtectStep number={2} title={text.contactsTitle} lead={text.contactsLead}>
      <ContactRow
        to={pages.changeMobile}
        icon={Smartphone}
        name={text.mobile}
        value={mobile ? maskMobile(mobile) : undefined}
      />
      <ContactRow to={pages.changeEmail} icon={Mail} name={text.email} value={email ? maskEmail(email) : undefined} />
      {(wechatEnabled || wechat) && (
        <ContactRow
          to={pages.wechat}
          icon={WechatMark}
          name={text.wechat}
          value={wechat}
          none={{ value: text.unbound, act: text.bind }}
        />
      )}
    </ProtectStep>
  )
}

interface RowProps {
  to: string
  icon: ComponentType
  name: string
  value: string | undefined
  /** What is said and offered where there is none. */
  none?: { value: string; act: string }
}

function ContactRow({ to, icon: Icon, name, value, none }: RowProps) {
  const text = useSecurityText().protect
  const missing = none ?? { value: text.unset, act: text.add }
  return (
    <Link className="row" to={to}>
      <Icon />
      <span className="name">{name}</span>
      <span className={value ? 'value' : 'value unset'}>{value ?? missing.value}</span>
      <span className="protect-act">{value ? text.change : missing.act}</span>
    </Link>
  )
}
