import '../../ui/card.css'
import '../../ui/fields/form-card.css'
import { pages } from '@hufu/contract/pages'
import { CircleX, Info, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAfterCheck } from '../../identity/step-up/use-after-check.ts'
import { useFocusAfter } from '../../lib/use-focus-after.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/fields/checkbox.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useClose } from './privacy.api.ts'
import { usePrivacyText } from './privacy.text.ts'

/** The consequences, a tick that they are understood, a check, and one more question. */
export function CloseForm() {
  const text = usePrivacyText().close
  const [asking, setAsking] = useState(false)
  const { begin, busy, error, pressed } = useAfterCheck<true>(pages.closeAccount, () => setAsking(true))
  const [understood, setUnderstood] = useState(pressed === true)
  useFocusAfter()
  return (
    <>
      <p className="page-lead">{text.lead}</p>
      <div className="card form-card">
        <Facts title={text.erasedTitle} icon={CircleX} facts={text.erased} bad />
        <Facts title={text.afterTitle} icon={Info} facts={text.after} />
        <Notice kind="warn">
          {text.exportFirst}
          <Link to={pages.privacy}>{text.exportLink}</Link>
        </Notice>
        <Checkbox checked={understood} onChange={setUnderstood}>
          {text.understood}
        </Checkbox>
        {error && <ErrorLine message={error} />}
        <Button kind="danger" wide busy={busy} disabled={!understood} onClick={() => begin(true)}>
          {text.go}
        </Button>
      </div>
      {asking && <CloseDialog onClose={() => setAsking(false)} />}
    </>
  )
}

function Facts({ title, icon: Icon, facts, bad = false }: FactsProps) {
  return (
    <section className={bad ? 'close-facts bad' : 'close-facts'}>
      <h2>{title}</h2>
      <ul>
        {facts.map((fact) => (
          <li key={fact}>
            <Icon />
            <span>{fact}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FactsProps {
  title: string
  icon: LucideIcon
  facts: string[]
  bad?: boolean
}

/** Asks once more. */
function CloseDialog({ onClose }: { onClose: () => void }) {
  const text = usePrivacyText().close
  const { close, busy, error } = useClose(() => showToast('good', text.requested))
  return (
    <Dialog danger title={text.askTitle} go={text.askGo} busy={busy} error={error} onGo={close} onCancel={onClose}>
      {text.ask}
    </Dialog>
  )
}
