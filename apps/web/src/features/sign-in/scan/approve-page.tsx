import './approve-page.css'
import type { ScanAsked } from '@hufu/contract/scan-login'
import { scanStatus } from '@hufu/contract/scan-login-rules'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { isCheckOwed, useAskCheck } from '../../../identity/step-up/two-factor.api.ts'
import { CallError } from '../../../lib/call/call.ts'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { loginLeadingTo } from '../../../session/login-source.ts'
import { useUser } from '../../../session/profile.api.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { ApproveResult } from './approve-result.tsx'
import { Facts, Network } from './facts.tsx'
import { type Decision, decide, requestIn, type ScanRequest, scannedQuery } from './scan-login.api.ts'
import { useScanLoginText } from './scan-login.text.ts'

/** Needs a session: other visitors sign in first and return to the same request. */
export default function ApprovePage() {
  const text = useScanLoginText().approve
  usePageTitle(text.title)
  const { pathname } = useLocation()
  const request = requestIn(useParams())
  const { user, signedOut, trouble, askAgain } = useUser()
  const [result, setResult] = useState<Decision>()
  if (result !== undefined) return <ApproveResult approved={result === scanStatus.approved} />
  if (!request) return <Refused message={text.invalid} />
  if (signedOut) return <Navigate replace to={loginLeadingTo(pathname)} />
  if (trouble) return <Refused message={trouble} onRetry={askAgain} />
  if (!user) return <LoadingScreen />
  return <Choice request={request} onDone={setResult} />
}

/** Nothing can be decided: why, and what to do. */
function Refused({ message, onRetry }: { message: string; onRetry?: () => void }) {
  const text = useScanLoginText().approve
  return (
    <Entry>
      <div className="lead">
        <h1>{text.over}</h1>
        <p>{onRetry ? text.lead : text.scanAgain}</p>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      {onRetry ? (
        <Button wide onClick={onRetry}>
          {text.retry}
        </Button>
      ) : (
        <p className="approve-hint">{text.close}</p>
      )}
    </Entry>
  )
}

/** A request that is gone, taken or decided is final: no retry. */
const isFinal = (error: unknown) => error instanceof CallError && error.code.startsWith('LOGIN_REQUEST_')

function Choice({ request, onDone }: { request: ScanRequest; onDone: (decision: Decision) => void }) {
  const text = useScanLoginText().approve
  const { data: asked, error, refetch } = useQuery(scannedQuery(request))
  if (error) {
    return <Refused message={error.message} {...(!isFinal(error) && { onRetry: () => void refetch() })} />
  }
  return (
    <Entry>
      <div className="lead">
        <h1>{text.ask}</h1>
        <p>{text.lead}</p>
      </div>
      {asked ? (
        <Asked asked={asked} onDecide={(decision) => decide(request, decision)} onDone={onDone} />
      ) : (
        <Skeleton label={text.loading} rows={4} />
      )}
    </Entry>
  )
}

interface AskedProps {
  asked: ScanAsked
  onDecide: (decision: Decision) => Promise<unknown>
  onDone: (decision: Decision) => void
}

/** What is asked, and the two answers. A failed answer leads back here with the reason. */
function Asked({ asked, onDecide, onDone }: AskedProps) {
  const text = useScanLoginText().approve
  const [busy, setBusy] = useState<Decision>()
  const [failure, setFailure] = useState<string>()
  const [asking, setAsking] = useState(false)
  const askCheck = useAskCheck()

  async function answer(decision: Decision) {
    setAsking(false)
    setBusy(decision)
    setFailure(undefined)
    try {
      await onDecide(decision)
      onDone(decision)
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      // A protected account approves after a step-up by factor alone.
      if (isCheckOwed(error)) askCheck()
      else setFailure(error.message)
    } finally {
      setBusy(undefined)
    }
  }
  const approve = () => (asked.network === 'elsewhere' ? setAsking(true) : void answer(scanStatus.approved))
  return (
    <>
      <Facts asked={asked} />
      <Network network={asked.network} />
      {failure && (
        <div role="alert">
          <Notice kind="bad">{failure}</Notice>
        </div>
      )}
      <div className="approve-acts">
        <Button wide busy={busy === scanStatus.approved} disabled={busy === scanStatus.rejected} onClick={approve}>
          {text.approve}
        </Button>
        <Button
          kind="quiet"
          wide
          busy={busy === scanStatus.rejected}
          disabled={busy === scanStatus.approved}
          onClick={() => void answer(scanStatus.rejected)}
        >
          {text.reject}
        </Button>
        <p className="approve-hint">{text.hint}</p>
      </div>
      {asking && (
        <Dialog
          title={text.sure}
          go={text.approve}
          danger
          onGo={() => void answer(scanStatus.approved)}
          onCancel={() => setAsking(false)}
        >
          {asked.region ? text.sureFrom(asked.region) : text.sureElsewhere}
        </Dialog>
      )}
    </>
  )
}
