import type { OutputOf } from '@hufu/contract/endpoint'
import type { readNoticedSignIn } from '@hufu/contract/security'
import { useState } from 'react'
import { CallError } from '../../lib/call/call.ts'
import { clockOf, dayName } from '../../lib/time/when.ts'
import { Button } from '../../ui/button.tsx'
import { BrowserFact, Fact } from '../../ui/facts.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useSecurityText } from './security.text.ts'

export type Noticed = OutputOf<typeof readNoticedSignIn>

interface Props {
  noticed: Noticed
  onDisown: () => Promise<void>
  onMe: () => void
}

/** The sign-in, and the two answers. A failed answer leads back here with the reason. */
export function NoticedSignIn({ noticed, onDisown, onMe }: Props) {
  const text = useSecurityText().notice
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  async function disown() {
    setBusy(true)
    setFailure(undefined)
    try {
      await onDisown()
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      setFailure(error.message)
      setBusy(false)
    }
  }
  return (
    <>
      <SignInFacts noticed={noticed} />
      {!noticed.live && <Notice>{text.over}</Notice>}
      {failure && (
        <div role="alert">
          <Notice kind="bad">{failure}</Notice>
        </div>
      )}
      <div className="disown-acts">
        <Button kind="danger-main" wide busy={busy} onClick={() => void disown()}>
          {text.notMe}
        </Button>
        <Button kind="quiet" wide disabled={busy} onClick={onMe}>
          {text.me}
        </Button>
        {noticed.live && <p>{text.hint}</p>}
      </div>
    </>
  )
}

function SignInFacts({ noticed: { time, browser, os, region, ip } }: Pick<Props, 'noticed'>) {
  const { notice: text, when } = useSecurityText()
  return (
    <dl className="facts">
      <Fact name={text.time}>{`${dayName(time, Date.now(), when)} ${clockOf(time)}`}</Fact>
      <BrowserFact name={text.device} browser={browser} os={os} />
      <Fact name={text.place} note={`IP ${ip}`}>
        {region ?? text.unknownPlace}
      </Fact>
    </dl>
  )
}
