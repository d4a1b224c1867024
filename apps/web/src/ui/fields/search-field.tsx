import './field.css'
import './search-field.css'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

const restAfterTyping = 300

interface Props {
  label: string
  /** What is looked for now. */
  found: string
  /** What can be looked for at all. */
  fits?: (search: string) => boolean
  onSearch: (search: string) => void
}

/** Searches when typing pauses. A search that changes elsewhere, by a filter or going back, updates the field. */
export function SearchField({ label, found, fits = () => true, onSearch }: Props) {
  const [typed, setTyped] = useState<string>()
  const sent = useRef(found)
  const search = (typed ?? found).trim()
  const wrong = search !== '' && !fits(search)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed decides when to look
  useEffect(() => {
    if (typed === undefined || search === sent.current || wrong) return
    const timer = setTimeout(() => {
      sent.current = search
      onSearch(search)
    }, restAfterTyping)
    return () => clearTimeout(timer)
  }, [search])
  useEffect(() => {
    if (found === sent.current) return
    sent.current = found
    setTyped(undefined)
  }, [found])
  return (
    <div className="box search-box">
      <Search />
      <input
        type="search"
        aria-label={label}
        aria-invalid={wrong}
        placeholder={label}
        maxLength={100}
        value={typed ?? found}
        onChange={({ target }) => setTyped(target.value)}
      />
    </div>
  )
}
