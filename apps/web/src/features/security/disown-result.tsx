import { pages } from '@hufu/contract/pages'
import { type ReactNode, useEffect, useRef } from 'react'
import { OtherAccount } from '../../identity/other-account/other-account.tsx'
import { loginLeadingTo } from '../../session/login-source.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ResultMark } from '../../ui/result-mark.tsx'
import { useSecurityText } from './security.text.ts'

interface ResultProps {
  title: string
  hint: string
  children: ReactNode
}

/** What came of it. Takes the focus, since the button that was pressed is gone. */
function Result({ title, hint, children }: ResultProps) {
  const said = useRef<HTMLDivElement>(null)
  useEffect(() => said.current?.focus(), [])
  return (
    <>
      <div ref={said} className="disown-result" role="status" tabIndex={-1}>
        <ResultMark good />
        <h1>{title}</h1>
        <p>{hint}</p>
      </div>
      <div className="disown-acts">{children}</div>
    </>
  )
}

/** A user who is signed in here needn't sign in again, but sees with which account they continue. `live`: it was still signed in. */
export function Disowned({ live }: { live: boolean }) {
  const text = useSecurityText().notice
  const { user } = useUser()
  return (
    <Result title={live ? text.removed : text.marked} hint={text.removedHint}>
      <ButtonLink wide to={user ? pages.protect : loginLeadingTo(pages.protect)}>
        {user ? text.nextSignedIn : text.next}
      </ButtonLink>
      {user && <OtherAccount user={user} to={pages.protect} />}
    </Result>
  )
}

export function Thanks({ onBack }: { onBack: () => void }) {
  const text = useSecurityText().notice
  return (
    <Result title={text.thanks} hint={text.thanksHint}>
      <Button kind="quiet" wide onClick={onBack}>
        {text.back}
      </Button>
    </Result>
  )
}

export function DisownExpired() {
  const text = useSecurityText().notice
  const { user } = useUser()
  return (
    <>
      <Refused title={text.expired} hint={text.expiredHint} message={text.expiredMessage} />
      <ButtonLink wide to={user ? pages.security : loginLeadingTo(pages.security)}>
        {user ? text.toHistorySignedIn : text.toHistory}
      </ButtonLink>
    </>
  )
}

export function DisownTrouble({ message, onRetry }: { message: string; onRetry: () => void }) {
  const text = useSecurityText().notice
  return (
    <>
      <Refused title={text.trouble} hint={text.troubleHint} message={message} />
      <Button wide onClick={onRetry}>
        {text.retry}
      </Button>
    </>
  )
}

/** Nothing can be answered: why. */
function Refused({ title, hint, message }: { title: string; hint: string; message: string }) {
  return (
    <>
      <div className="lead">
        <h1>{title}</h1>
        <p>{hint}</p>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
    </>
  )
}
