import '../../../ui/fields/field.css'
import '../../../ui/fields/search-field.css'
import type { QuickReply } from '@hufu/contract/feedback-desk'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { AllowedButton } from '../../../ui/allowed-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useDeskText } from './desk.text.ts'
import { useReplies } from './replies.api.ts'
import { NoReplies, RepliesFound } from './replies-found.tsx'

interface Props {
  search: string
  onSearch: (search: string) => void
  refused: string | undefined
  /** What stands in the reply box. */
  draft: string
  onPick: (text: string) => void
  onManage: () => void
  onAdd: (reply: Partial<QuickReply>) => void
}

const fits = ({ title, text }: QuickReply, search: string) =>
  `${title}\n${text}`.toLowerCase().includes(search.trim().toLowerCase())

/** Looks through the answers and inserts one, by keys alone if need be. */
export function RepliesPick({ search, onSearch, refused, draft, onPick, onManage, onAdd }: Props) {
  const text = useDeskText().replies
  const { replies, trouble, askAgain } = useReplies()
  const none = replies?.length === 0
  const found = replies?.filter((reply) => fits(reply, search)) ?? []
  const list = useId()
  const pick = (reply: QuickReply) => (refused === undefined ? onPick(reply.text) : showToast('bad', refused))
  const { at, onKeyDown, restart } = useChoice(found, pick)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // Not where that would bring up a keyboard unasked.
    if (window.matchMedia('(hover: hover) and (pointer: fine)').matches) field.current?.focus()
  }, [])
  return (
    <>
      <div className="box search-box">
        <Search />
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-label={text.search}
          aria-expanded={found.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={found[at] && `${list}-${found[at].id}`}
          placeholder={text.search}
          maxLength={40}
          value={search}
          onChange={({ target }) => {
            onSearch(target.value)
            restart()
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {found.length > 0 ? (
        <RepliesFound id={list} found={found} at={at} onPick={pick} />
      ) : (
        <NoReplies replies={replies} trouble={trouble} askAgain={askAgain} />
      )}
      <div className="replies-foot">
        <AllowedButton kind="quiet" refused={refused} onClick={none ? () => onAdd({}) : onManage}>
          {none ? text.add : text.manage}
        </AllowedButton>
        {draft !== '' && refused === undefined && (
          <Button kind="soft" onClick={() => onAdd({ text: draft })}>
            {text.keep}
          </Button>
        )}
        {found.length > 0 && <span className="keys">{text.keys}</span>}
      </div>
    </>
  )
}

/** Up and down go round; what is marked is taken with Enter. */
function useChoice(found: QuickReply[], pick: (reply: QuickReply) => void) {
  const [marked, setMarked] = useState(0)
  const at = Math.min(marked, Math.max(found.length - 1, 0))
  const step = (by: number) => setMarked((at + by + found.length) % Math.max(found.length, 1))
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, nativeEvent } = event
    if (nativeEvent.isComposing || !['ArrowDown', 'ArrowUp', 'Enter'].includes(key)) return
    event.preventDefault()
    const chosen = found[at]
    if (key !== 'Enter') step(key === 'ArrowDown' ? 1 : -1)
    else if (chosen) pick(chosen)
  }
  return { at, onKeyDown, restart: () => setMarked(0) }
}
