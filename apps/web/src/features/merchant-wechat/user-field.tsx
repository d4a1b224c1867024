import { shortId } from '@hufu/contract/merchant-rights'
import type { UserRow } from '@hufu/contract/merchant-users'
import { useQuery } from '@tanstack/react-query'
import { CircleCheck } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useUser } from '../../session/profile.api.ts'
import { Field } from '../../ui/fields/field.tsx'
import { usersQuery } from './merchant-wechat.api.ts'
import { useMerchantWechatText } from './merchant-wechat.text.ts'
import { looksLikeId, type Receiver } from './sending.ts'

const restAfterTyping = 300

interface Props {
  receiver: Receiver
  error: string | undefined
  onReceiver: (receiver: Receiver) => void
}

/** Whom the message is for: by id, or found by number, address or nickname. */
export function UserField({ receiver, error, onReceiver }: Props) {
  const text = useMerchantWechatText().message
  const id = useId()
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const { picked: known } = receiver
  const { hits, none, searching } = useFoundUsers(receiver, onReceiver)
  const listed = open && !known && hits.length > 0
  const pick = (picked: UserRow | undefined) => {
    if (!picked) return
    onReceiver({ typed: shortId(picked.id), picked })
    setOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!listed || event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setActive((active + step + hits.length) % hits.length)
    if (event.key === 'Enter') pick(hits[active])
    if (event.key === 'Escape') setOpen(false)
    if (step || event.key === 'Enter') event.preventDefault()
  }
  const type = (typed: string) => {
    onReceiver({ typed })
    setActive(0)
    setOpen(true)
  }
  return (
    <div className="user-field">
      <Field label={text.user} error={error} {...(!known && { hint: text.userHint })}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              role="combobox"
              aria-autocomplete="list"
              aria-expanded={listed}
              aria-controls={`${id}hits`}
              aria-activedescendant={listed ? `${id}${active}` : undefined}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={100}
              value={receiver.typed}
              onChange={({ target }) => type(target.value)}
              onKeyDown={onKeyDown}
              onFocus={() => setOpen(true)}
              onBlur={() => setOpen(false)}
            />
          </div>
        )}
      </Field>
      <div className="user-hits" role="listbox" id={`${id}hits`} aria-label={text.userHits} hidden={!listed}>
        {hits.map((hit, at) => (
          <button
            key={hit.id}
            type="button"
            id={`${id}${at}`}
            role="option"
            aria-selected={at === active}
            // The field keeps the focus and with it the keys.
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(hit)}
          >
            <UserLine user={hit} />
          </button>
        ))}
      </div>
      <p className={known ? 'user-known' : 'user-known none'} role="status">
        {known && <KnownUser user={known} />}
        {!known && searching && text.userSearching}
        {!known && none && text.userNone}
      </p>
    </div>
  )
}

/** Users that match the input, searched when typing pauses. An exact id is picked at once. */
function useFoundUsers({ typed, picked }: Receiver, onReceiver: Props['onReceiver']) {
  const me = useUser().user?.id ?? ''
  const wanted = picked ? '' : typed.trim()
  const [search, setSearch] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSearch(wanted), restAfterTyping)
    return () => clearTimeout(timer)
  }, [wanted])
  const { data, isFetching } = useQuery(usersQuery(me, search))
  const settled = search === wanted
  const hits = (settled && data?.data) || []
  const [owner, another] = hits.filter(({ id }) => looksLikeId(wanted) && id.startsWith(wanted.toLowerCase()))
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was found decides, once
  useEffect(() => {
    if (owner && !another) onReceiver({ typed, picked: owner })
  }, [owner, another])
  return { hits, none: settled && data?.count === 0, searching: isFetching || !settled }
}

function UserLine({ user }: { user: UserRow }) {
  const text = useMerchantWechatText().message
  return (
    <>
      <span>{user.nickname ?? text.noNickname}</span>
      <span className="mono">{shortId(user.id)}</span>
      <small>{user.mobile ?? user.email ?? user.username}</small>
    </>
  )
}

function KnownUser({ user }: { user: UserRow }) {
  const text = useMerchantWechatText().message
  const more = [user.mobile, user.status === 'disabled' && text.disabled].filter(Boolean)
  return (
    <>
      <CircleCheck />
      {[user.nickname ?? text.noNickname, ...more].join(' · ')}
    </>
  )
}
