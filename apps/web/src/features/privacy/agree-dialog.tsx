import '../../ui/dialog.css'
import './agree-dialog.css'
import type { SiteMeta } from '@hufu/contract/site'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { usePrivacyText } from '../../lib/privacy-text.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { logOut } from '../profile/profile.api.ts'
import { useLeave } from '../profile/use-leave.ts'
import { useAgree } from './privacy.api.ts'

interface Props {
  agreements: NonNullable<SiteMeta['agreements']>
  /** The person has agreed to another version before. */
  before: boolean
}

/** Asks a signed-in person for the version of the agreements that is in force: agree, or sign out. */
export default function AgreeDialog({ agreements, before }: Props) {
  const text = usePrivacyText().agree
  const { mutate: agree, isPending, error } = useAgree()
  const leave = useLeave(logOut, ({ message }) => showToast('bad', message))
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
        <Button kind="quiet" busy={leave.isPending} onClick={() => leave.mutate()}>
          {text.leave}
        </Button>
        <Button busy={isPending} onClick={() => agree(agreements.version)}>
          {text.go}
        </Button>
      </div>
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
