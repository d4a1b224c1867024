import '../../ui/notice.css'
import './recovery-banner.css'
import type { UserInfo } from '@hufu/contract/profile'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { useFocusAfter } from '../../lib/use-focus-after.ts'
import { Button } from '../../ui/button.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { useRecoveryText } from './recovery.text.ts'

/** A recovery of this account's number is under way: it can be cancelled here. */
export function RecoveryBanner({ user: { recovery } }: { user: Pick<UserInfo, 'recovery'> }) {
  return recovery === null ? null : <Recovering ready={recovery} />
}

function Recovering({ ready }: { ready: number }) {
  const { banner: text, when } = useRecoveryText()
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
            {text.notMe}
          </span>
        </p>
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {text.cancel}
        </Button>
      </section>
      {asking && <CancelDialog onClose={() => setAsking(false)} />}
    </>
  )
}
