import '../../ui/badge.css'
import '../../ui/card.css'
import './closing-banner.css'
import { TriangleAlert } from 'lucide-react'
import { useId, useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { useFocusAfter } from '../../lib/use-focus-after.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useKeep } from './privacy.api.ts'
import { usePrivacyText } from './privacy.text.ts'

const day = 86_400_000

/** The account will be erased: when, and how to keep it. */
export default function ClosingBanner({ due }: { due: number }) {
  const { closing: text, when } = usePrivacyText()
  const heading = useId()
  const now = useNow()
  const [asking, setAsking] = useState(false)
  useFocusAfter()
  const days = Math.ceil((due - now) / day)
  return (
    <section className="card closing" aria-labelledby={heading}>
      <TriangleAlert />
      <div className="closing-facts">
        <h2 id={heading}>{text.title(momentOf(due, now, when))}</h2>
        <span className="badge">{days > 1 ? text.days(days) : text.lastDay}</span>
        <p>{text.hint}</p>
      </div>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {text.keep}
      </Button>
      {asking && <KeepDialog onClose={() => setAsking(false)} />}
    </section>
  )
}

/** Keeping it is a wish of its own: signing in alone changes nothing. */
function KeepDialog({ onClose }: { onClose: () => void }) {
  const text = usePrivacyText().closing
  const { keep, busy, error } = useKeep(() => showToast('good', text.kept))
  return (
    <Dialog title={text.askTitle} go={text.keep} busy={busy} error={error} onGo={keep} onCancel={onClose}>
      {text.ask}
    </Dialog>
  )
}
