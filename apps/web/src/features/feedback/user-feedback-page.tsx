import '../../ui/field.css'
import './feedback-page.css'
import { userPrompt } from '@hufu/contract/feedback-rules'
import { pages } from '@hufu/contract/pages'
import { Link, useNavigate, useParams } from 'react-router'
import { call } from '../../lib/call.ts'
import { useFeedbackText } from '../../lib/feedback-text.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Frame } from '../../ui/frame.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Notice } from '../../ui/notice.tsx'
import { nameOf, pictureOf } from '../profile/person.ts'
import { useUser } from '../profile/profile.api.ts'
import { mayMerchant } from '../shell/navigation.ts'
import { Compose } from './compose.tsx'
import type { Message } from './compose-message.ts'
import { draftName } from './drafts.ts'
import { useMove, useOwnList } from './feedback.api.ts'
import { FeedbackItems } from './feedback-list.tsx'
import { PromptCard } from './prompt-card.tsx'
import { RatingCard } from './rating-card.tsx'
import { Reference } from './reference.tsx'
import { StatusBadge } from './status-badge.tsx'
import type { Talk } from './talk.ts'
import { TalkCard } from './talk-card.tsx'

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
const send = (id?: string) => (message: Message) => call('/api/user/feedback/send', id ? { id, ...message } : message)

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
  const { mutate, isPending } = useMove(() => call('/api/user/feedback/confirm', { id: talk.id }))
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
