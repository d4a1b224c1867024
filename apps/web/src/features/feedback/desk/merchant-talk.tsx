import { feedbackStatus, mayForceClose, merchantPrompt } from '@hufu/contract/feedback-rules'
import { useMutation } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Logo } from '../../../frame/logo.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { PromptCard } from '../conversation/prompt-card.tsx'
import { Reference } from '../conversation/reference.tsx'
import { StatusBadge } from '../conversation/status-badge.tsx'
import type { Talk } from '../conversation/talk.ts'
import { TalkCard } from '../conversation/talk-card.tsx'
import { useBeside } from '../conversation/use-beside.ts'
import { nextWaiting, useFeedbackUser, useMove } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { setStatus } from './desk.api.ts'
import { MerchantRating } from './merchant-rating.tsx'
import { MerchantReply } from './merchant-reply.tsx'
import { NotesFold } from './notes.tsx'

interface Props {
  id: string
  pathOf: (id: string) => string
  /** Why nothing may be said or changed. */
  refused: string | undefined
}

/** A conversation as an operator sees it. */
export function MerchantTalk({ id, pathOf, refused }: Props) {
  const text = useFeedbackText()
  const wide = useBeside()
  const user = useFeedbackUser(id)
  const [replied, setReplied] = useState(false)
  const face = <Avatar name={user?.nickname ?? user?.mobile ?? ''} picture={user?.avatar ?? undefined} />
  return (
    <TalkCard
      side="merchant"
      id={id}
      faces={{ user: face, merchant: <Logo /> }}
      head={(talk) => (
        <>
          <div className="asker">
            <b>
              <span className="asker-name">{user?.nickname ?? talk.mobile ?? text.noNickname}</span>
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
      under={!wide && <NotesFold id={id} refused={refused} />}
      prompt={(talk) => <MerchantPromptCard talk={talk} refused={refused} />}
      compose={() => <MerchantReply id={id} refused={refused} onSent={() => setReplied(true)} />}
    />
  )
}

const useStatusMove = (id: string) => useMove((status: number) => setStatus(id, status))

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
  if (prompt !== 'reopens') return null
  return (
    <>
      {talk.rating && <MerchantRating rating={talk.rating} />}
      <PromptCard kind="over" title={text.prompt.reopens} />
    </>
  )
}

/** Ends it without the user, so it asks first. */
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

/** Leads to the conversation that has waited longest: the usual next step after a reply. */
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
