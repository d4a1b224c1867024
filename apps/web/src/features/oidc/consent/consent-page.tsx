import './consent.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { interactionQuery, isInteractionOver, resumePath } from '../../../session/interaction.api.ts'
import { loginLeadingTo } from '../../../session/login-source.ts'
import { useUser } from '../../../session/profile.api.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { AccountStep } from './account-step.tsx'
import { useAnswer } from './consent.api.ts'
import { useConsentText } from './consent.text.ts'
import { ConsentStep } from './consent-step.tsx'
import { FactorStep } from './factor-step.tsx'
import type { StepProps } from './step-props.ts'

const steps = { consent: ConsentStep, account: AccountStep, factor: FactorStep }

/** A client waits for the user: for consent, for the choice of the account or for the second factor. */
export default function ConsentPage() {
  usePageTitle(useConsentText().consent.title)
  const { id = '' } = useParams()
  const { user, signedOut, trouble, askAgain } = useUser()
  if (signedOut) return <Navigate replace to={loginLeadingTo(resumePath(id))} />
  if (!user && !trouble) return <LoadingScreen />
  return (
    <Entry beside>
      {user ? <Asked key={id} id={id} user={user} /> : <Failed message={trouble ?? ''} onRetry={askAgain} />}
    </Entry>
  )
}

function Asked({ id, user }: { id: string; user: UserInfo }) {
  const text = useConsentText().consent
  const { data, error, refetch } = useQuery(interactionQuery(id))
  const answer = useAnswer(id)
  if (isInteractionOver(error) || isInteractionOver(answer.error)) return <Over />
  if (error) return <Failed message={error.message} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={text.waiting} rows={4} />
  return <Step id={id} user={user} interaction={data} answer={answer} />
}

function Step(props: StepProps) {
  const { step, resume } = props.interaction
  // The sign-in page goes on by itself where nothing is missing.
  if (step === 'login' || step === 'none') return <Navigate replace to={loginLeadingTo(resume)} />
  const Shown = steps[step]
  return <Shown {...props} />
}

function Failed({ message, onRetry }: { message: string; onRetry: () => void }) {
  const text = useConsentText().consent
  return (
    <>
      <div className="lead">
        <h1>{text.failed}</h1>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      <Button wide onClick={onRetry}>
        {text.tryAgain}
      </Button>
    </>
  )
}

function Over() {
  const text = useConsentText().consent.over
  return (
    <>
      <div className="lead">
        <h1>{text.title}</h1>
        <p>{text.lead}</p>
      </div>
      <Notice>{text.next}</Notice>
      <ButtonLink wide to={pages.user}>
        {text.toAccount}
      </ButtonLink>
    </>
  )
}
