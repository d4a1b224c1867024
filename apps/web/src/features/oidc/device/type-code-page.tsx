import './device.css'
import { pages } from '@hufu/contract/pages'
import { type FormEvent, useRef, useState } from 'react'
import { Navigate, useNavigate } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { useFirstFocus } from '../../../lib/use-first-focus.ts'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { loginLeadingTo } from '../../../session/login-source.ts'
import { useUser } from '../../../session/profile.api.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/fields/field.tsx'
import { useDeviceText } from './device.text.ts'
import { groupedCode, lettersIn, userCodeLength } from './user-code.ts'

/** For a device that can't show a QR code: its code is typed. Opening the page that follows decides nothing. */
export default function TypeCodePage() {
  const text = useDeviceText()
  usePageTitle(text.title)
  const { signedOut } = useUser()
  if (signedOut) return <Navigate replace to={loginLeadingTo(pages.deviceLogin)} />
  return (
    <Entry>
      <div className="lead">
        <h1>{text.type.ask}</h1>
        <p>{text.type.lead}</p>
      </div>
      <CodeForm />
      <p className="device-hint">{text.type.hint}</p>
    </Entry>
  )
}

function CodeForm() {
  const text = useDeviceText().type
  const navigate = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState<string>()
  useFirstFocus(form)
  const edit = (typed: string) => {
    setWrong(undefined)
    setCode(groupedCode(typed))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (lettersIn(code).length < userCodeLength) setWrong(text.short)
    else void navigate(pages.deviceApprove.replace(':code', code))
  }
  return (
    <form ref={form} className="device-form" noValidate onSubmit={submit}>
      <Field label={text.label} hint={text.rule} error={wrong}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              className="device-code-input"
              autoComplete="off"
              autoCapitalize="characters"
              autoCorrect="off"
              enterKeyHint="go"
              spellCheck={false}
              placeholder={text.placeholder}
              value={code}
              onChange={(event) => edit(event.target.value)}
            />
          </div>
        )}
      </Field>
      <Button type="submit" wide>
        {text.next}
      </Button>
    </form>
  )
}
