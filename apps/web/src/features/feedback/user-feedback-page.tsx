import '../../ui/fields/field.css'
import './feedback-page.css'
import { userPrompt } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import { Link, useNavigate, useParams } from 'react-router'
import { Frame } from '../../frame/frame.tsx'
import { Logo } from '../../frame/logo.tsx'
import { mayMerchant } from '../../frame/navigation.ts'
import { useUser } from '../../session/profile.api.ts'
import { nameOf, pictureOf } from '../../session/user.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Compose } from './compose/compose.tsx'
import type { Message } from './compose/compose-message.ts'
import { draftName } from './compose/drafts.ts'
import { PromptCard } from './conversation/prompt-card.tsx'
import { RatingCard } from './conversation/rating-card.tsx'
import { Reference } from './conversation/reference.tsx'
import { StatusBadge } from './conversation/status-badge.tsx'
import type { Talk } from './conversation/talk.ts'
import { TalkCard } from './conversation/talk-card.tsx'
import { confirmFeedback, sendFeedback, useMove, useOwnList } from './feedback.api.ts'
import { useFeedbackText } from './feedback.text.ts'
import { FeedbackItems } from './list/feedback-list.tsx'

const pathOf = (id: string) => pages.userFeedbackItem.replace(':id', id)
const rows = { new: 10, inside: 3 }

export default function UserFeedbackPage() {
  const text = useFeedbackText()
  const { id } = useParams()
  const { user } = useUser()
  return (
    <Frame title={text.title} wide>
      {mayMerchant(user?.permission, 'READ') && (
        <Notice>
          {text.operators}
          <Link className="inline-link" to={pages.merchantFeedback}>
            {text.operatorsLink}
          </Link>
        </Notice>
      )}
      <div className="talk">
        {id === undefined ? <NewFeedback /> : <OwnTalk key={id} id={id} />}
        <OwnHistory current={id} />
      </div>
    </Frame>
  )
}

const useDraftName = (id?: string) => draftName(useUser().user?.id ?? '', 'user', id)
const send = (id?: string) => (message: Message) => sendFeedback(id ? { id, ...message } : message)

function NewFeedback() {
  const text = useFeedbackText()
  const navigate = useNavigate()
  const draft = useDraftName()
  return (
    <section className="card chat new" aria-labelledby="new-feedback">
      <div className="new-head">
        <h2 id="new-feedback">{text.newOne}</h2>
        <p>{text.newHint}</p>
      </div>
      <Compose
        side="user"
        draft={draft}
        label={text.message}
        placeholder={text.newPlaceholder}
        rows={rows.new}
        send={send()}
        onSent={(id) => void navigate(pathOf(id), { replace: true })}
      />
    </section>
  )
}

function OwnTalk({ id }: { id: string }) {
  const text = useFeedbackText()
  const { user } = useUser()
  const draft = useDraftName(id)
  const own = user && <Avatar name={nameOf(user)} picture={pictureOf(user)} />
  return (
    <TalkCard
      side="user"
      id={id}
      faces={{ user: own, merchant: <Logo /> }}
      head={({ status }) => (
        <>
          <Reference id={id} />
          <StatusBadge side="user" status={status} />
        </>
      )}
      prompt={(talk) => <OwnPrompt talk={talk} />}
      compose={(talk) =>
        userPrompt(talk) === 'closed' ? (
          <RatingCard talk={talk} />
        ) : (
          <Compose
            side="user"
            draft={draft}
            label={text.message}
            placeholder={text.morePlaceholder}
            rows={rows.inside}
            send={send(id)}
          />
        )
      }
    />
  )
}

function OwnPrompt({ talk }: { talk: Talk }) {
  const text = useFeedbackText()
  const { mutate, isPending } = useMove(() => confirmFeedback(talk.id))
  const prompt = userPrompt(talk)
  if (prompt === undefined) return null
  if (prompt === 'resolved')
    return (
      <PromptCard kind="asks" title={text.prompt.resolved} hint={text.prompt.resolvedHint}>
        <Button busy={isPending} onClick={() => mutate(undefined)}>
          {text.prompt.confirm}
        </Button>
      </PromptCard>
    )
  if (prompt === 'closed')
    return (
      <PromptCard kind="over" title={text.prompt.closed}>
        <ButtonLink to={pages.userFeedback}>{text.newOne}</ButtonLink>
      </PromptCard>
    )
  return <PromptCard kind="tells" title={text.prompt[prompt]} />
}

function OwnHistory({ current }: { current: string | undefined }) {
  const text = useFeedbackText()
  const list = useOwnList()
  return (
    <section className="card history" aria-labelledby="history">
      <div className="history-head">
        <h2 id="history">{text.history}</h2>
        {current !== undefined && (
          <Link className="inline-link" to={pages.userFeedback}>
            {text.newOne}
          </Link>
        )}
      </div>
      <FeedbackItems side="user" list={list} current={current} pathOf={pathOf} empty={<p>{text.historyEmpty}</p>} />
    </section>
  )
}
