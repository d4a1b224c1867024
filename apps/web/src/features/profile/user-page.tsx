import { pages } from '@hufu/contract/pages'
import { Info, ShieldCheck } from 'lucide-react'
import { usePersonalText } from '../../lib/personal-text.ts'
import { Card } from '../../ui/card.tsx'
import { Frame } from '../../ui/frame.tsx'
import { LinkRow } from '../../ui/row.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AccountBanners } from '../privacy/account-banners.tsx'
import { DisplaySettings } from '../shell/display-settings.tsx'
import { AccountCard } from './account-card.tsx'
import { logOut, useUser } from './profile.api.ts'
import { ProfileCard } from './profile-card.tsx'
import { useLeave } from './use-leave.ts'

export default function UserPage() {
  const text = usePersonalText().user
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
  const text = usePersonalText().user
  const { mutate, isPending } = useLeave(logOut, ({ message }) => showToast('bad', message))
  return (
    <Card rows>
      <button type="button" className="row alone" aria-busy={isPending} onClick={() => isPending || mutate()}>
        {text.logOut}
      </button>
    </Card>
  )
}
