import { cleanNickname } from '@hufu/contract/account-rules'
import type { UserInfo } from '@hufu/contract/profile'
import { Check, Pencil, X } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { nameOf } from '../../session/user.ts'
import { IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useChangeNickname } from './change-profile.api.ts'
import { useProfileText } from './profile.text.ts'

/** The name with a pencil; the pencil turns it into a field. */
export function Nickname({ user }: { user: UserInfo }) {
  const text = useProfileText().user
  const [editing, setEditing] = useState(false)
  const pencil = useRef<HTMLButtonElement>(null)
  const edited = useRef(false)
  useEffect(() => {
    if (edited.current && !editing) pencil.current?.focus()
    edited.current = editing
  }, [editing])
  if (editing) return <NicknameForm user={user} onDone={() => setEditing(false)} />
  return (
    <div className="nickname">
      <h2>{nameOf(user)}</h2>
      <IconButton ref={pencil} label={text.changeNickname} onClick={() => setEditing(true)}>
        <Pencil />
      </IconButton>
    </div>
  )
}

function NicknameForm({ user, onDone }: { user: UserInfo; onDone: () => void }) {
  const text = useProfileText().user
  const before = user.nickname ?? ''
  const [typed, setTyped] = useState(before)
  const [error, setError] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const { mutate, isPending } = useChangeNickname()
  useEffect(() => input.current?.select(), [])

  const save = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const nickname = cleanNickname(typed)
    if (nickname === undefined) return setError(text.nicknameRule)
    if (nickname === before) return onDone()
    mutate(nickname, {
      onSuccess: () => {
        showToast('good', text.changed)
        onDone()
      },
      onError: ({ message }) => setError(message),
    })
  }
  const giveUp = ({ key, nativeEvent }: KeyboardEvent) => {
    if (key === 'Escape' && !nativeEvent.isComposing) onDone()
  }
  return (
    <form onSubmit={save} onKeyDown={giveUp} aria-busy={isPending}>
      <Field label={text.nickname} quiet error={error}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              ref={input}
              autoComplete="nickname"
              enterKeyHint="done"
              placeholder={user.wechatNickname ?? text.nicknamePlaceholder}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setError(undefined)
              }}
            />
            <IconButton label={text.cancel} onClick={onDone}>
              <X />
            </IconButton>
            <IconButton label={text.save} type="submit" aria-disabled={isPending}>
              <Check />
            </IconButton>
          </div>
        )}
      </Field>
    </form>
  )
}
