import '../../ui/dialog.css'
import './agree-dialog.css'
import { pages } from '@hufu/contract/pages'
import type { SiteMeta } from '@hufu/contract/site'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Link } from 'react-router'
import { logOut } from '../../session/profile.api.ts'
import { useLeave } from '../../session/use-leave.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { useAgree } from './privacy.api.ts'
import { usePrivacyText } from './privacy.text.ts'

interface Props {
  agreements: NonNullable<SiteMeta['agreements']>
  /** The user has agreed to another version before. */
  before: boolean
}

/** Asks a signed-in user for the version of the agreements that is in force: agree, sign out, or take the data along. */
export default function AgreeDialog({ agreements, before }: Props) {
  const text = usePrivacyText().agree
  const agree = useAgree()
  const leave = useLeave(logOut, () => undefined)
  const error = agree.error ?? leave.error
  const goOn = () => {
    leave.reset()
    agree.mutate(agreements.version)
  }
  const goAway = () => {
    agree.reset()
    leave.mutate()
  }
  return (
    <Lasting title={before ? text.updated : text.first}>
      <p>
        {text.message}
        <Agreement to={agreements.terms}>{text.terms}</Agreement>
        {text.and}
        <Agreement to={agreements.privacy}>{text.privacy}</Agreement>
        <span className="agree-version">{text.version(agreements.version)}</span>
      </p>
      {error && (
        <div className="dialog-error">
          <ErrorLine message={error.message} />
        </div>
      )}
      <div className="dialog-acts">
        <Button kind="quiet" busy={leave.isPending} onClick={goAway}>
          {text.leave}
        </Button>
        <Button busy={agree.isPending} onClick={goOn}>
          {text.go}
        </Button>
      </div>
      <Link className="agree-otherwise" to={pages.privacy}>
        {text.otherwise}
      </Link>
    </Lasting>
  )
}

function Agreement({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** A dialog that Esc doesn't close. Nothing is pressed by accident either: the focus begins on the title. */
function Lasting({ title, children }: { title: string; children: ReactNode }) {
  const heading = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const first = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    first.current?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="dialog agree"
      aria-labelledby={heading}
      onCancel={(event) => event.preventDefault()}
      // Browsers let the second Esc through.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id={heading} ref={first} tabIndex={-1}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
