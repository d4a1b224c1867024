import './user-page.css'
import '../../ui/card.css'
import type { Person } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { CloudOff, UserRoundX } from 'lucide-react'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useUserDetail } from './user.api.ts'
import { UserActions } from './user-actions.tsx'
import { UserDevices } from './user-devices.tsx'
import { type Asking, UserDialog } from './user-dialog.tsx'
import { UserFactors } from './user-factors.tsx'
import { UserFeedback } from './user-feedback.tsx'
import { UserHead } from './user-head.tsx'
import { userPath } from './user-name.ts'
import { UserPending } from './user-pending.tsx'
import { UserRights } from './user-rights.tsx'
import { UserSecurity } from './user-security.tsx'
import { UserWays } from './user-ways.tsx'

export default function UserPage() {
  const text = useMerchantUsersText().user
  const { id = '' } = useParams()
  return (
    <MerchantFrame title={text.title} above={pages.merchantUsers}>
      <Looked key={id} id={id} />
    </MerchantFrame>
  )
}

function Looked({ id }: { id: string }) {
  const text = useMerchantUsersText().user
  const { user, missing, trouble, askAgain } = useUserDetail(id)
  useEffect(() => {
    if (trouble !== undefined && !missing) showToast('bad', trouble)
  }, [trouble, missing])
  if (user) return <Shown user={user} />
  if (missing)
    return (
      <Empty icon={UserRoundX} title={text.missing} message={text.missingHint}>
        <ButtonLink kind="soft" to={pages.merchantUsers}>
          {text.toList}
        </ButtonLink>
      </Empty>
    )
  if (trouble)
    return (
      <Empty icon={CloudOff} message={trouble}>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </Empty>
    )
  return (
    <Card>
      <Skeleton label={text.waiting} rows={3} />
    </Card>
  )
}

function Shown({ user }: { user: Person }) {
  const [asking, setAsking] = useKeptInput<Asking | undefined>(userPath(user.id), () => undefined)
  return (
    <>
      <UserHead user={user} />
      <UserPending user={user} onCancelRecovery={() => setAsking({ what: 'recovery', reason: '' })} />
      <div className="person-columns">
        <div className="person-column">
          <UserWays user={user} />
          <UserFactors factors={user.factors} />
          <UserDevices id={user.id} onSignOut={() => setAsking({ what: 'signOut' })} />
        </div>
        <div className="person-column">
          <UserRights user={user} onChange={(rights) => setAsking({ what: 'rights', rights })} />
          <UserFeedback id={user.id} />
          <UserActions user={user} onAsk={setAsking} />
        </div>
      </div>
      <UserSecurity id={user.id} />
      {asking && <UserDialog user={user} asking={asking} onAsking={setAsking} onClose={() => setAsking(undefined)} />}
    </>
  )
}
