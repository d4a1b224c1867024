import './notes.css'
import { ChevronDown, Lock } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { AllowedButton } from '../../../ui/allowed-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { useDeskText } from './desk.text.ts'
import { Note } from './note.tsx'
import { useNotes } from './notes.api.ts'
import { NotesForm } from './notes-form.tsx'

interface Props {
  id: string
  /** Why nothing may be noted. */
  refused: string | undefined
}

type Notes = ReturnType<typeof useNotes>

/** Beside the conversation, in another colour, so that it isn't mistaken for the reply. */
export function NotesCard({ id, refused }: Props) {
  const text = useDeskText().notes
  const known = useNotes(id)
  return (
    <section className="notes" aria-labelledby="notes">
      <div className="notes-head">
        <h2 id="notes">
          <Lock />
          {text.title}
          <Count notes={known.notes} />
        </h2>
        <p>{text.only}</p>
      </div>
      <Body id={id} known={known} refused={refused} />
    </section>
  )
}

/** Where there is no room beside it: folded under the head, with the newest note in sight. */
export function NotesFold({ id, refused }: Props) {
  const text = useDeskText().notes
  const known = useNotes(id)
  const [open, setOpen] = useState(false)
  return (
    <section className={open ? 'notes fold open' : 'notes fold'} aria-label={text.title}>
      <button type="button" className="notes-unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Lock />
        <b>{text.title}</b>
        <Count notes={known.notes} />
        <span className="notes-newest">{!open && (known.notes?.at(-1)?.text ?? text.only)}</span>
        <ChevronDown />
      </button>
      {open && (
        <>
          <p className="notes-only">{text.only}</p>
          <Body id={id} known={known} refused={refused} />
        </>
      )}
    </section>
  )
}

function Count({ notes = [] }: Pick<Notes, 'notes'>): ReactNode {
  return notes.length > 0 && <span className="notes-count">{notes.length}</span>
}

function Body({ id, known, refused }: Props & { known: Notes }) {
  const text = useDeskText().notes
  return (
    <>
      <List id={id} known={known} refused={refused} />
      {refused === undefined ? (
        <NotesForm id={id} />
      ) : (
        <AllowedButton kind="quiet" refused={refused}>
          {text.add}
        </AllowedButton>
      )}
    </>
  )
}

/** Oldest first, with the newest in view. */
function List({ id, known: { notes, trouble, askAgain }, refused }: Props & { known: Notes }) {
  const text = useDeskText()
  const list = useRef<HTMLUListElement>(null)
  const newest = notes?.at(-1)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the newest one that comes into view
  useLayoutEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight
  }, [newest])
  if (trouble)
    return (
      <p className="notes-none">
        {trouble}
        <Button kind="quiet" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </p>
    )
  if (!notes) return <Skeleton label={text.notes.waiting} rows={1} />
  if (notes.length === 0) return <p className="notes-none">{text.notes.empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <ul ref={list} className="notes-list" aria-live="polite" aria-label={text.notes.title} tabIndex={0}>
      {notes.map((note) => (
        <Note key={note.id} id={id} note={note} removable={refused === undefined} />
      ))}
    </ul>
  )
}
