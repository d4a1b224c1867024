import '../../ui/notice.css'
import './recovery-banner.css'
import type { UserInfo } from '@hufu/contract/profile'
import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { useFocusAfter } from '../../lib/use-focus-after.ts'
import { Button } from '../../ui/button.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { useRecoveryText } from './recovery.text.ts'

type Pending = Pick<UserInfo, 'recovery' | 'recoveryPurpose'>

/** A recovery of this account is under way: it can be cancelled here. */
export function RecoveryBanner({ user: { recovery, recoveryPurpose } }: { user: Pending }) {
  return recovery === null ? null : <Recovering purpose={recoveryPurpose ?? 'mobile'} ready={recovery} />
}

function Recovering({ purpose, ready }: { purpose: RecoveryPurpose; ready: number }) {
  const { banner, when } = useRecoveryText()
  const text = banner[purpose]
  const now = useNow()
  const [asking, setAsking] = useState(false)
  useFocusAfter()
  return (
    <>
      <section className="notice warn recovery-banner" aria-label={text.name}>
        <p>
          <TriangleAlert />
          <span>
            {ready > now ? text.waiting(momentOf(ready, now, when)) : text.ready}
            {banner.notMe}
          </span>
        </p>
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {text.cancel}
        </Button>
      </section>
      {asking && <CancelDialog purpose={purpose} onClose={() => setAsking(false)} />}
    </>
  )
}
