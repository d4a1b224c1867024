import type { Person } from '@hufu/contract/merchant-users'
import { TriangleAlert } from 'lucide-react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useAdminRefusal } from './use-refusal.ts'

interface Props {
  user: Person
  onCancelRecovery: () => void
}

/** Pending on the account: a recovery of its number, or its erasure. */
export function UserPending({ user: { recovery, closing }, onCancelRecovery }: Props) {
  const { user: text, when } = useMerchantUsersText()
  const now = useNow()
  const refused = useAdminRefusal()
  return (
    <>
      {recovery !== null && (
        <div className="notice warn person-pending">
          <p>
            <TriangleAlert />
            {recovery > now ? text.recovering(momentOf(recovery, now, when)) : text.recoveryReady}
          </p>
          <AllowedButton kind="quiet" refused={refused} onClick={onCancelRecovery}>
            {text.cancelRecovery}
          </AllowedButton>
        </div>
      )}
      {closing !== null && <Notice kind="warn">{text.closing(momentOf(closing, now, when))}</Notice>}
    </>
  )
}
