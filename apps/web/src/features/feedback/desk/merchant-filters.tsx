import '../../../ui/fields/field.css'
import { feedbackStatus, isWaiting } from '@hufu/contract/feedback-rules'
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import type { Wanted } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'

const restAfterTyping = 300

interface Props {
  wanted: Wanted
  onWanted: Dispatch<SetStateAction<Wanted>>
}

/** Which conversations the list shows, and in which order. */
export function MerchantFilters({ wanted, onWanted }: Props) {
  const text = useFeedbackText()
  const { waiting = false, status, longestFirst = false } = wanted
  const statuses = Object.values(feedbackStatus).filter((each) => !waiting || isWaiting(each))
  // From what is wanted by then: a search comes later than it was typed.
  const change = (difference: Partial<Record<keyof Wanted, unknown>>) =>
    onWanted((now) => {
      const changed = Object.entries({ ...now, ...difference }).filter(([, value]) => value !== undefined)
      return Object.fromEntries(changed)
    })
  return (
    <div className="filters">
      <Segmented
        label={text.scope}
        value={waiting}
        options={[
          { value: true, label: text.open },
          { value: false, label: text.all },
        ]}
        onChange={(only) => change({ waiting: only || undefined, longestFirst: only || undefined, status: undefined })}
      />
      <SearchField onSearch={(search) => change({ search: search || undefined })} />
      <div className="filters-row">
        <select
          aria-label={text.statusFilter}
          value={status ?? ''}
          onChange={({ target }) => change({ status: target.value === '' ? undefined : Number(target.value) })}
        >
          <option value="">{text.anyStatus}</option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {text.status.merchant[each]}
            </option>
          ))}
        </select>
        {waiting && (
          <button
            type="button"
            className="order"
            aria-pressed={longestFirst}
            onClick={() => change({ longestFirst: longestFirst ? undefined : true })}
          >
            {text.longestFirst}
          </button>
        )}
      </div>
    </div>
  )
}

/** Searches when typing pauses. */
function SearchField({ onSearch }: { onSearch: (search: string) => void }) {
  const text = useFeedbackText()
  const [typed, setTyped] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed decides when to look
  useEffect(() => {
    if (typed === undefined) return
    const timer = setTimeout(() => onSearch(typed.trim()), restAfterTyping)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="box search">
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        maxLength={40}
        value={typed ?? ''}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  )
}
