import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { AtSign, History, LockKeyhole, Mail, MonitorSmartphone, ShieldCheck, Smartphone } from 'lucide-react'
import { maskMobile } from '../../lib/mobile-number.ts'
import { maskEmail } from '../../session/user.ts'
import { useSite } from '../../site/site.store.ts'
import { Card } from '../../ui/card.tsx'
import { LinkRow } from '../../ui/row.tsx'
import { WechatMark } from '../../ui/wechat-mark.tsx'
import { devicesQuery, usePageSize } from '../devices/devices.api.ts'
import { useProfileText } from './profile.text.ts'

/** How the account can be reached and entered; each line leads to where it is changed. */
export function AccountCard({ user }: { user: UserInfo }) {
  const text = useProfileText().user
  const top = usePageSize()
  const wechatEnabled = useSite((site) => site.wechatEnabled)
  const { data: devices } = useQuery({ ...devicesQuery(user.id, { top, skip: 0 }), staleTime: 30_000 })
  const rows = [
    { to: pages.changeMobile, icon: Smartphone, label: text.mobile, value: user.mobile && maskMobile(user.mobile) },
    { to: pages.changePassword, icon: LockKeyhole, label: text.password, value: user.password ? text.set : null },
    { to: pages.changeEmail, icon: Mail, label: text.email, value: user.email && maskEmail(user.email) },
    { to: pages.changeUsername, icon: AtSign, label: text.username, value: user.username },
  ]
  return (
    <Card title={text.account} rows>
      {rows.map(({ value, ...row }) => (
        <LinkRow key={row.to} {...row} value={value || text.unset} unset={!value} />
      ))}
      {(wechatEnabled || user.wechatOpenId) && (
        <LinkRow
          to={pages.wechat}
          icon={WechatMark}
          label={text.wechat}
          value={user.wechatOpenId ? user.wechatNickname || text.bound : text.unbound}
          unset={!user.wechatOpenId}
        />
      )}
      <LinkRow
        to={pages.protection}
        icon={ShieldCheck}
        label={text.protection}
        value={user.protected ? text.protectionOn : text.protectionOff}
        unset={!user.protected}
      />
      <LinkRow
        to={pages.onlineDevices}
        icon={MonitorSmartphone}
        label={text.devices}
        value={devices && text.deviceCount(devices.count)}
      />
      <LinkRow to={pages.security} icon={History} label={text.security} />
    </Card>
  )
}
