import './two-factor-page.css'
import type { UserInfo } from '@hufu/contract/profile'
import type { SecondWay } from '@hufu/contract/two-factor'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CloudOff, ShieldCheck } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Frame } from '../../frame/frame.tsx'
import { useGoBack } from '../../lib/history/go-back.ts'
import { adopt, useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FormSkeleton } from '../../ui/fields/form-card.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { CodeProof } from './code-proof.tsx'
import { dropInput } from './kept-input.ts'
import { useNoteLeaving } from './left-check.ts'
import { NoProof } from './no-proof.tsx'
import { PasswordProof } from './password-proof.tsx'
import { useStepUpText } from './step-up.text.ts'
import { afterFactor, afterProof, type CheckState, checkQuery, isComplete } from './two-factor.api.ts'

const FactorStep = lazy(() => import('./factor-step.tsx'))
const WechatProof = lazy(() => import('./wechat-proof.tsx'))

export default function TwoFactorPage() {
  const text = useStepUpText()
  const goBack = useGoBack()
  const { user } = useUser()
  const { data, isFetchedAfterMount, failureReason, refetch } = useQuery(checkQuery)
  // A state cached before the page opened may have expired.
  const state = isFetchedAfterMount ? data : undefined
  const complete = state !== undefined && isComplete(state)
  useNoteLeaving()
  useLeave(complete)
  const waiting = complete || (!state && !failureReason)
  return (
    <Frame title={text.title} narrow onBack={() => goBack(2)}>
      {waiting && <FormSkeleton label={text.waiting} />}
      {!state && failureReason && (
        <Empty icon={CloudOff} message={failureReason.message}>
          <Button kind="soft" onClick={() => void refetch()}>
            {text.tryAgain}
          </Button>
        </Empty>
      )}
      {state && user && !complete && (
        <Suspense fallback={<FormSkeleton label={text.waiting} />}>
          <Steps state={state} user={user} />
        </Suspense>
      )}
    </Frame>
  )
}

/** Goes back to where the check was requested, as soon as it is complete, here or in another tab. */
function useLeave(complete: boolean) {
  const client = useQueryClient()
  const goBack = useGoBack()
  const made = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is made
  useEffect(() => {
    if (!complete) return
    made.current = true
    void adopt(client, () => ({ twoFactor: true })).then(() => goBack(1))
  }, [complete])
  useEffect(() => {
    return () => {
      if (!made.current) dropInput()
    }
  }, [])
}

interface StepsProps {
  state: CheckState
  user: UserInfo
}

/** First the account's main proof; then, where required, a second kind. */
function Steps({ state, user }: StepsProps) {
  const text = useStepUpText()
  const client = useQueryClient()
  const onProved = (kind: SecondWay) =>
    client.setQueryData(checkQuery.queryKey, (known) => known && afterProof(known, kind))
  // An API process of the previous version names none.
  const factors = state.factors ?? []
  if (factors.length > 0) {
    const proved = () => client.setQueryData(checkQuery.queryKey, (known) => known && afterFactor(known))
    return (
      <section className="card form-card">
        <Lead step={undefined} line={text.protected} />
        <FactorStep ways={factors} onProved={proved} />
      </section>
    )
  }
  // A mailed code that opens the check is of the second kind, too.
  const two = state.way === 'mobile' && state.second.length > 0
  if (state.twoFactor) {
    return (
      <section className="card form-card">
        <Lead step={text.step(2)} line={text.second} />
        <SecondProof kinds={state.second} user={user} onProved={onProved} />
        <p className="hint">{text.secondHelp}</p>
      </section>
    )
  }
  return (
    <section className="card form-card">
      <Lead step={two ? text.step(1) : undefined} line={text.risk} />
      {state.way && <Proof kind={state.way} user={user} onProved={onProved} />}
      {!state.way && (user.wechatOpenId ? <WechatProof /> : <NoProof />)}
    </section>
  )
}

interface ProofProps {
  user: UserInfo
  onProved: (kind: SecondWay) => void
}

function SecondProof({ kinds, ...rest }: ProofProps & { kinds: SecondWay[] }) {
  const text = useStepUpText()
  const [chosen, setChosen] = useState(kinds[0] ?? 'password')
  const options = kinds.map((kind) => ({ value: kind, label: text.kinds[kind] }))
  return (
    <>
      {kinds.length > 1 && <Segmented label={text.choose} value={chosen} options={options} onChange={setChosen} />}
      <Proof kind={chosen} {...rest} />
    </>
  )
}

function Proof({ kind, user, onProved }: ProofProps & { kind: SecondWay }) {
  if (kind === 'wechat') return <WechatProof />
  if (kind === 'password') return <PasswordProof onProved={() => onProved(kind)} />
  return <CodeProof key={kind} kind={kind} user={user} onProved={() => onProved(kind)} />
}

function Lead({ step, line }: { step: string | undefined; line: string }) {
  return (
    <div className="check-lead">
      <span>
        <ShieldCheck />
      </span>
      <p>
        {step && <b>{step}</b>}
        {line}
      </p>
    </div>
  )
}
