import '../../ui/notice.css'
import './recovery-banner.css'
import type { UserInfo } from '@hufu/contract/profile'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { useNow } from '../../lib/use-now.ts'
import { momentOf } from '../../lib/when.ts'
import { Button } from '../../ui/button.tsx'
import { useFocusAfter } from '../privacy/use-focus-after.ts'
import { CancelDialog } from './cancel-dialog.tsx'

/** Somebody recovers the number of this account: it can be ended here. */
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
