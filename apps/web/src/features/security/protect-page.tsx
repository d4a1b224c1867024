import './protect-page.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { LockKeyhole, MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Frame } from '../../frame/frame.tsx'
import { useUser } from '../../session/profile.api.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { devicesQuery } from '../devices/devices.api.ts'
import { RemovalDialog } from '../devices/removal-dialog.tsx'
import { AccountBanners } from '../privacy/account-banners.tsx'
import { Contacts } from './protect-contacts.tsx'
import { ProtectStep } from './protect-step.tsx'
import { passwordChangedQuery } from './security.api.ts'
import { useSecurityText } from './security.text.ts'

/** What to do after an intrusion: change the password, check the contacts, check the devices. */
export default function ProtectPage() {
  const text = useSecurityText().protect
  const { user } = useUser()
  if (!user) return null
  return (
    <Frame title={text.title} narrow>
      <AccountBanners user={user} />
      <p className="page-lead">{text.lead}</p>
      <ol className="protect">
        <Password user={user} />
        <Contacts user={user} />
        <Devices userId={user.id} />
      </ol>
      <ButtonLink kind="text" to={pages.user}>
        {text.toUser}
      </ButtonLink>
    </Frame>
  )
}

function Password({ user }: { user: UserInfo }) {
  const text = useSecurityText().protect
  const { data: done = false } = useQuery(passwordChangedQuery(user.id))
  const [title, lead] = user.password
    ? [text.passwordTitle, text.passwordLead]
    : [text.passwordFirst, text.passwordFirstLead]
  return (
    <ProtectStep number={1} title={title} lead={lead} done={done}>
      <div className="row">
        <LockKeyhole />
        <span className="name">{text.password}</span>
        <span className={user.password ? 'value' : 'value unset'}>{user.password ? text.set : text.unset}</span>
      </div>
      <div className="protect-acts">
        {done ? (
          <Notice kind="good">{text.passwordDone}</Notice>
        ) : (
          <ButtonLink wide to={pages.changePassword}>
            {user.password ? text.changePassword : text.setPassword}
          </ButtonLink>
        )}
      </div>
    </ProtectStep>
  )
}

function Devices({ userId }: { userId: string }) {
  const text = useSecurityText().protect
  const { data: devices } = useQuery(devicesQuery(userId, { top: 1, skip: 0 }))
  const [removing, setRemoving] = useState(false)
  const others = devices && devices.count - 1
  const close = () => setRemoving(false)
  return (
    <ProtectStep number={3} title={text.devicesTitle} lead={text.devicesLead} done={others === 0}>
      <Link className="row" to={pages.onlineDevices}>
        <MonitorSmartphone />
        <span className="name">{text.others}</span>
        <span className="value">{others !== undefined && text.otherCount(others)}</span>
        <span className="protect-act">{text.look}</span>
      </Link>
      {others !== undefined && others > 0 && (
        <div className="protect-acts">
          <Button kind="danger" wide onClick={() => setRemoving(true)}>
            {text.removeAll}
          </Button>
        </div>
      )}
      {removing && <RemovalDialog removing="others" onDone={close} onCancel={close} />}
    </ProtectStep>
  )
}
