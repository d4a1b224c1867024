import type { UserInfo } from '@hufu/contract/profile'
import { lazy, Suspense } from 'react'
import { useFrameText } from '../../frame/frame.text.ts'
import { Card } from '../../ui/card.tsx'
import { Skeleton } from '../../ui/waiting.tsx'

// Few users ever see these.
const ClosingBanner = lazy(() => import('./closing-banner.tsx'))
const RecoveryBanner = lazy(async () => ({ default: (await import('../recovery/recovery-banner.tsx')).RecoveryBanner }))

/** Pending changes of the account that its owner can stop. */
export function AccountBanners({ user }: { user: UserInfo }) {
  return (
    <Suspense fallback={<BannerRoom />}>
      {user.closing && <ClosingBanner due={user.closing} />}
      {user.recovery && <RecoveryBanner user={user} />}
    </Suspense>
  )
}

/** A placeholder while a banner loads. */
function BannerRoom() {
  const text = useFrameText().signIn
  return (
    <Card>
      <Skeleton label={text.waiting} rows={1} />
    </Card>
  )
}
