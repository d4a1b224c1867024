import './disown-page.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { Entry } from '../../frame/entry.tsx'
import { CallError } from '../../lib/call/call.ts'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { Skeleton } from '../../ui/waiting.tsx'
import { DisownExpired, Disowned, DisownTrouble, Thanks } from './disown-result.tsx'
import { type Noticed, NoticedSignIn } from './noticed-sign-in.tsx'
import { disownNoticed, noticedQuery } from './security.api.ts'
import { useSecurityText } from './security.text.ts'

const isExpired = (error: unknown) => error instanceof CallError && error.code === 'NOTICE_EXPIRED'

/** Target of the link in a new sign-in notice; it needs no session. Nothing changes without a tap. */
export default function DisownPage() {
  usePageTitle(useSecurityText().notice.title)
  const { token = '' } = useParams()
  // Another link in the same tab is another question.
  return <Entry>{/^[\w-]{43}$/.test(token) ? <Linked key={token} token={token} /> : <DisownExpired />}</Entry>
}

type Answer = 'me' | 'removed' | 'marked' | 'expired'

/** A short timeout, so that the success isn't held back by a missing response. */
const soon = () => new Promise((resolve) => setTimeout(resolve, 1_000))

function Linked({ token }: { token: string }) {
  const { data: noticed, error, refetch } = useQuery(noticedQuery(token))
  const [answer, setAnswer] = useState<Answer>()
  const client = useQueryClient()
  async function disown() {
    try {
      await disownNoticed(token)
    } catch (failure) {
      if (!isExpired(failure)) throw failure
      return setAnswer('expired')
    }
    // It may have been this very browser that was signed in.
    await Promise.race([client.refetchQueries(visitorQuery), soon()])
    setAnswer(noticed?.live ? 'removed' : 'marked')
  }
  if (answer === 'removed' || answer === 'marked') return <Disowned live={answer === 'removed'} />
  if (answer === 'expired' || isExpired(error)) return <DisownExpired />
  if (answer === 'me') return <Thanks onBack={() => setAnswer(undefined)} />
  if (error) return <DisownTrouble message={error.message} onRetry={() => void refetch()} />
  return <Question noticed={noticed} onDisown={disown} onMe={() => setAnswer('me')} />
}

interface QuestionProps {
  noticed: Noticed | undefined
  onDisown: () => Promise<void>
  onMe: () => void
}

function Question({ noticed, ...answers }: QuestionProps) {
  const text = useSecurityText().notice
  return (
    <>
      <div className="lead">
        <h1>{text.ask}</h1>
        <p>{text.lead}</p>
      </div>
      {noticed ? <NoticedSignIn noticed={noticed} {...answers} /> : <Skeleton label={text.waiting} rows={3} />}
    </>
  )
}
