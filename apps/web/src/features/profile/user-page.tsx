import { pages } from '@hufu/contract/pages'
import { Info, ShieldCheck } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { usePersonalText } from '../../lib/personal-text.ts'
import { Card } from '../../ui/card.tsx'
import { Frame } from '../../ui/frame.tsx'
import { LinkRow } from '../../ui/row.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { DisplaySettings } from '../shell/display-settings.tsx'
import { AccountCard } from './account-card.tsx'
import { logOut, useUser } from './profile.api.ts'
import { ProfileCard } from './profile-card.tsx'
import { useLeave } from './use-leave.ts'

// Few people ever see these.
const ClosingBanner = lazy(() => import('../privacy/closing-banner.tsx'))
const RecoveryBanner = lazy(async () => ({ default: (await import('../recovery/recovery-banner.tsx')).RecoveryBanner }))

export default function UserPage() {
  const text = usePersonalText().user
  const { user } = useUser()
  if (!user) return null
  return (
    <Frame title={text.title}>
      <Suspense fallback={<BannerRoom />}>
        {user.closing && <ClosingBanner due={user.closing} />}
        {user.recovery && <RecoveryBanner user={user} />}
      </Suspense>
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

/** Keeps the place of a banner that is about to come. */
function BannerRoom() {
  const text = usePersonalText().signIn
  return (
    <Card>
      <Skeleton label={text.waiting} rows={1} />
    </Card>
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
