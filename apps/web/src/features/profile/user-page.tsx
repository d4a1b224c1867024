import { pages } from '@hufu/contract/pages'
import { Info, ShieldCheck } from 'lucide-react'
import { Frame } from '../../frame/frame.tsx'
import { logOut, useUser } from '../../session/profile.api.ts'
import { useLeave } from '../../session/use-leave.ts'
import { Card } from '../../ui/card.tsx'
import { LinkRow } from '../../ui/row.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AccountBanners } from '../privacy/account-banners.tsx'
import { AccountCard } from './account-card.tsx'
import { DisplaySettings } from './display-settings.tsx'
import { useProfileText } from './profile.text.ts'
import { ProfileCard } from './profile-card.tsx'

export default function UserPage() {
  const text = useProfileText().user
  const { user } = useUser()
  if (!user) return null
  return (
    <Frame title={text.title}>
      <AccountBanners user={user} />
      <ProfileCard user={user} />
      <AccountCard user={user} />
      <DisplaySettings title={text.settings} />
      <Card rows>
        <LinkRow to={pages.privacy} icon={ShieldCheck} label={text.privacy} />
        <LinkRow to={pages.device} icon={Info} label={text.device} />
      </Card>
      <LogoutCard />
    </Frame>
  )
}

function LogoutCard() {
  const text = useProfileText().user
  const { mutate, isPending } = useLeave(logOut, ({ message }) => showToast('bad', message))
  return (
    <Card rows>
      <button type="button" className="row alone" aria-busy={isPending} onClick={() => isPending || mutate()}>
        {text.logOut}
      </button>
    </Card>
  )
}
