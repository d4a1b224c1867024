import { pages } from '@hufu/contract/pages'
import type { UndoableChange } from '@hufu/contract/undo'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { Entry } from '../../frame/entry.tsx'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { Outcome } from '../recovery/outcome.tsx'
import { ChangesStep } from './changes-step.tsx'
import { isExpired, undoQuery } from './undo.api.ts'
import { useUndoText } from './undo.text.ts'
import { UndoSteps } from './undo-steps.tsx'

/** Target of the link in the notice of a change; it needs no session. Nothing changes without a tap. */
export default function UndoPage() {
  usePageTitle(useUndoText().title)
  const { token = '' } = useParams()
  return <Entry>{/^[\w-]{43}$/.test(token) ? <Linked key={token} token={token} /> : <Expired invalid />}</Entry>
}

type Stage = 'ask' | 'mine' | 'undo' | 'done' | 'expired'

function Linked({ token }: { token: string }) {
  const text = useUndoText()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(undoQuery(token))
  const [stage, setStage] = useState<Stage>('ask')
  const [from, setFrom] = useState<UndoableChange>()
  const finish = () => {
    // Every session of the account is over, perhaps the one of this browser.
    void client.invalidateQueries({ queryKey: visitorQuery.queryKey, refetchType: 'all' })
    setStage('done')
  }
  if (stage === 'done') return <Done />
  if (stage === 'mine') return <Mine onBack={() => setStage('ask')} />
  if (stage === 'expired' || isExpired(error)) return <Expired />
  if (error)
    return (
      <>
        <div className="lead">
          <h1>{text.trouble}</h1>
        </div>
        <div role="alert">
          <Notice kind="bad">{error.message}</Notice>
        </div>
        <Button wide onClick={() => void refetch()}>
          {text.retry}
        </Button>
      </>
    )
  if (!data) return <Skeleton label={text.waiting} rows={3} />
  if (stage === 'undo' && from)
    return (
      <UndoSteps
        token={token}
        from={from}
        onDone={finish}
        onExpired={() => setStage('expired')}
        onBack={() => setStage('ask')}
      />
    )
  const begin = (chosen: UndoableChange) => {
    setFrom(chosen)
    setStage('undo')
  }
  return <ChangesStep changes={data.changes} onUndo={begin} onMine={() => setStage('mine')} />
}

function Mine({ onBack }: { onBack: () => void }) {
  const text = useUndoText()
  return (
    <Outcome good title={text.mineTitle} lead={text.mineLead}>
      <Button kind="quiet" wide onClick={onBack}>
        {text.back}
      </Button>
    </Outcome>
  )
}

function Done() {
  const text = useUndoText()
  return (
    <Outcome good title={text.doneTitle} lead={text.doneLead}>
      <ButtonLink wide to={pages.login}>
        {text.toLogin}
      </ButtonLink>
    </Outcome>
  )
}

function Expired({ invalid = false }: { invalid?: boolean }) {
  const text = useUndoText()
  return (
    <>
      <div className="lead">
        <h1>{invalid ? text.invalid : text.expired}</h1>
        <p>{text.expiredLead}</p>
      </div>
      <Notice>{text.expiredNext}</Notice>
      <ButtonLink wide to={pages.recover}>
        {text.toRecover}
      </ButtonLink>
    </>
  )
}
