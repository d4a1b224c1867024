import './recover.css'
import { pages } from '@hufu/contract/pages'
import type { RecoveryPurpose, RecoveryStanding } from '@hufu/contract/recovery'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Entry } from '../../frame/entry.tsx'
import { usePageTitle } from '../../lib/use-page-title.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { BeginStep } from './begin-step.tsx'
import { ChoiceStep } from './choice-step.tsx'
import { EmailStep } from './email-step.tsx'
import { NeedStep } from './need-step.tsx'
import { NumberStep } from './number-step.tsx'
import { Outcome } from './outcome.tsx'
import { PasswordStep } from './password-step.tsx'
import { keepProgress, type Progress, readProgress } from './progress.ts'
import { useRecoveryText } from './recovery.text.ts'
import { RemoveStep } from './remove-step.tsx'
import { UndoStep } from './undo-step.tsx'
import { WaitingStep } from './waiting-step.tsx'

type Ending = 'number' | 'factor' | 'undo'

/** For users whose number or second factors are gone: password, mailed code, the wait, a new number or none of the factors. */
export default function RecoverPage() {
  usePageTitle(useRecoveryText().title)
  const client = useQueryClient()
  const [done, setDone] = useState<Ending>()
  const finish = (ending: Ending) => {
    keepProgress(undefined)
    // Every session of the account is over; the one of this browser may be of another.
    void client.invalidateQueries({ queryKey: visitorQuery.queryKey, refetchType: 'all' })
    setDone(ending)
  }
  return <Entry beside>{done ? <Done ending={done} /> : <Steps onDone={finish} />}</Entry>
}

/** The form that had the focus is gone: screen readers go on at the new step, and eyes at the top of it. */
function useStepFocus(step: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once a step
  useEffect(() => {
    document.getElementById('main')?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [step])
}

function Steps({ onDone }: { onDone: (ending: Ending) => void }) {
  const [progress, setProgress] = useState(readProgress)
  const [begun, setBegun] = useState(false)
  const [typed, setTyped] = useState({ account: '', password: '' })
  const [word, setWord] = useState<string>()
  const go = (to: Progress | undefined, because?: string) => {
    keepProgress(to)
    setProgress(to)
    setBegun(true)
    setWord(because)
  }
  const restart = (because?: string) => go(undefined, because)
  useStepFocus(progress ? (progress.standing?.stage ?? 'email') : String(begun))
  if (progress) return <Opened progress={progress} onProgress={go} onRestart={restart} onDone={onDone} />
  if (!begun) return <NeedStep onBegin={() => setBegun(true)} />
  return <PasswordStep typed={typed} onTyped={setTyped} word={word} onOpened={go} onBack={() => setBegun(false)} />
}

interface OpenedProps {
  progress: Progress
  onProgress: (progress: Progress) => void
  onRestart: (because?: string) => void
  onDone: (ending: Ending) => void
}

/** After the password: the mailed code, then what the standing asks for. */
function Opened({ progress, onProgress, onRestart, onDone }: OpenedProps) {
  const { ticket, standing } = progress
  const [chosen, setChosen] = useState<RecoveryPurpose>()
  useStepFocus(chosen ?? '')
  const startAnew = () => onRestart()
  const update = (newest: RecoveryStanding) => onProgress({ ...progress, standing: newest })
  if (!standing) return <EmailStep progress={progress} onProved={update} onOver={onRestart} onBack={startAnew} />
  if (standing.stage === 'undo') return <UndoStep ticket={ticket} onDone={() => onDone('undo')} onOver={onRestart} />
  const begun = standing.purpose ?? 'mobile'
  if (standing.stage === 'ready') {
    const Last = begun === 'factor' ? RemoveStep : NumberStep
    const ending = begun === 'factor' ? 'factor' : 'number'
    return <Last ticket={ticket} onDone={() => onDone(ending)} onOver={onRestart} onAgain={startAnew} />
  }
  if (standing.ready !== null)
    return <WaitingStep purpose={begun} ready={standing.ready} expires={standing.expires} onAgain={startAnew} />
  const purpose = standing.protected ? chosen : 'mobile'
  if (!purpose) return <ChoiceStep onChoose={setChosen} onAgain={startAnew} />
  return <BeginStep ticket={ticket} purpose={purpose} onStarted={update} onOver={onRestart} onAgain={startAnew} />
}

function Done({ ending }: { ending: Ending }) {
  const { done: text, undo, remove } = useRecoveryText()
  useStepFocus('done')
  const words = {
    number: [text.title, text.lead],
    factor: [remove.doneTitle, remove.doneLead],
    undo: [undo.doneTitle, undo.doneLead],
  } as const
  const [title, lead] = words[ending]
  return (
    <Outcome good title={title} lead={lead}>
      <ButtonLink wide to={pages.login}>
        {text.go}
      </ButtonLink>
    </Outcome>
  )
}
