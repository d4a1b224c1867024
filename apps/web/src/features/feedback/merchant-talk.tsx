import { feedbackStatus, mayForceClose, merchantPrompt } from '@hufu/contract/feedback-rules'
import { useMutation } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { call } from '../../lib/call.ts'
import { useFeedbackText } from '../../lib/feedback-text.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Logo } from '../../ui/logo.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useUser } from '../profile/profile.api.ts'
import { Compose } from './compose.tsx'
import { draftName } from './drafts.ts'
import { nextWaiting, useMove, usePerson } from './feedback.api.ts'
import { PromptCard } from './prompt-card.tsx'
import { Reference } from './reference.tsx'
import { StatusBadge } from './status-badge.tsx'
import type { Talk } from './talk.ts'
import { TalkCard } from './talk-card.tsx'

const leastRows = 3

interface Props {
  id: string
  pathOf: (id: string) => string
  mayWrite: boolean
}

/** A conversation as an operator sees it. */
export function MerchantTalk({ id, pathOf, mayWrite }: Props) {
  const text = useFeedbackText()
  const { user } = useUser()
  const person = usePerson(id)
  const [replied, setReplied] = useState(false)
  const face = <Avatar name={person?.nickname ?? person?.mobile ?? ''} picture={person?.avatar ?? undefined} />
  const refused = mayWrite ? undefined : text.notAllowed
  return (
    <TalkCard
      side="merchant"
      id={id}
      faces={{ user: face, merchant: <Logo /> }}
      head={(talk) => (
        <>
          <div className="asker">
            <b>
              <span className="asker-name">{person?.nickname ?? talk.mobile ?? text.unknownPerson}</span>
              <StatusBadge side="merchant" status={talk.status} />
            </b>
            <Reference id={id} />
          </div>
          <span className="head-acts">
            {mayForceClose(talk) && <ForceClose id={id} refused={refused} />}
            <Next id={id} pathOf={pathOf} eager={replied} />
          </span>
        </>
      )}
      prompt={(talk) => <MerchantPromptCard talk={talk} refused={refused} />}
      compose={() => (
        <Compose
          draft={draftName(user?.id ?? '', 'merchant', id)}
          label={text.reply}
          placeholder={text.replyPlaceholder}
          rows={leastRows}
          refused={refused}
          send={(message) => call('/api/merchant/feedback/send', { id, ...message })}
          onSent={() => setReplied(true)}
        />
      )}
    />
  )
}

const useStatusMove = (id: string) => useMove((status: number) => call('/api/merchant/feedback/status', { id, status }))

function MerchantPromptCard({ talk, refused }: { talk: Talk; refused: string | undefined }) {
  const text = useFeedbackText()
  const { mutate, isPending, variables } = useStatusMove(talk.id)
  const prompt = merchantPrompt(talk)
  const button = (status: number, words: string, kind?: 'quiet') => (
    <Button
      kind={kind ?? 'main'}
      busy={isPending && variables === status}
      disabled={refused !== undefined}
      title={refused}
      onClick={() => isPending || mutate(status)}
    >
      {words}
    </Button>
  )
  if (prompt === 'start')
    return (
      <PromptCard kind="asks" title={text.prompt.start} hint={text.prompt.startHint}>
        {button(feedbackStatus.processing, text.prompt.startGo)}
      </PromptCard>
    )
  if (prompt === 'solved')
    return (
      <PromptCard kind="asks" title={text.prompt.solved} hint={text.prompt.solvedHint}>
        {button(feedbackStatus.unsolvable, text.prompt.limit, 'quiet')}
        {button(feedbackStatus.offered, text.prompt.solvedGo)}
      </PromptCard>
    )
  return prompt === 'reopens' ? <PromptCard kind="over" title={text.prompt.reopens} /> : null
}

/** Ends it without the person, so it asks first. */
function ForceClose({ id, refused }: { id: string; refused: string | undefined }) {
  const text = useFeedbackText()
  const [asking, setAsking] = useState(false)
  const { mutate, isPending } = useStatusMove(id)
  const close = () => mutate(feedbackStatus.closed, { onSettled: () => setAsking(false) })
  return (
    <>
      <Button kind="danger" disabled={refused !== undefined} title={refused} onClick={() => setAsking(true)}>
        {text.forceClose}
      </Button>
      {asking && (
        <Dialog
          danger
          title={text.forceCloseTitle}
          go={text.forceClose}
          busy={isPending}
          onGo={close}
          onCancel={() => setAsking(false)}
        >
          {text.forceCloseMessage}
        </Dialog>
      )}
    </>
  )
}

/** To whoever has waited longest; what one looks for after a reply. */
function Next({ id, pathOf, eager }: { id: string; pathOf: Props['pathOf']; eager: boolean }) {
  const text = useFeedbackText()
  const navigate = useNavigate()
  const { mutate, isPending } = useMutation({
    mutationFn: () => nextWaiting(id),
    onSuccess: (next) => {
      if (next) void navigate(pathOf(next), { replace: true })
      else showToast('good', text.noNext)
    },
    onError: (error) => showToast('bad', error.message),
  })
  return (
    <Button kind={eager ? 'main' : 'soft'} busy={isPending} onClick={() => mutate()}>
      {text.next}
      <ChevronRight />
    </Button>
  )
}
