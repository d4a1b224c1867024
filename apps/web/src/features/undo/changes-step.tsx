import './undo-page.css'
import type { UndoableChange } from '@hufu/contract/undo'
import { useId, useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { clockOf, dayName } from '../../lib/time/when.ts'
import { Button } from '../../ui/button.tsx'
import { useUndoText } from './undo.text.ts'

interface Props {
  /** Newest first. */
  changes: UndoableChange[]
  onUndo: (from: UndoableChange) => void
  onMine: () => void
}

/** What was changed and when. Of several, the owner says which was the first that wasn't theirs. */
export function ChangesStep({ changes, onUndo, onMine }: Props) {
  const text = useUndoText()
  const name = useId()
  const [chosen, setChosen] = useState(() => changes.find(({ noticed }) => noticed) ?? changes[0])
  const several = changes.length > 1
  return (
    <>
      <div className="lead">
        <h1>{several ? text.ask : text.askOne}</h1>
        <p>{text.lead}</p>
      </div>
      {several ? (
        <fieldset className="undo-changes card">
          <legend>{text.choose}</legend>
          {changes.map((change) => (
            <label key={change.id}>
              <input type="radio" name={name} checked={change.id === chosen?.id} onChange={() => setChosen(change)} />
              <Change change={change} />
            </label>
          ))}
        </fieldset>
      ) : (
        <div className="undo-changes card">{chosen && <Change change={chosen} />}</div>
      )}
      <div className="undo-acts">
        <Button kind="danger-main" wide onClick={() => chosen && onUndo(chosen)}>
          {text.go}
        </Button>
        <Button kind="quiet" wide onClick={onMine}>
          {text.mine}
        </Button>
      </div>
    </>
  )
}

function Change({ change: { kind, time } }: { change: UndoableChange }) {
  const text = useUndoText()
  const now = useNow()
  return (
    <span>
      <b>{text.kinds[kind]}</b>
      <time dateTime={new Date(time).toISOString()}>{`${dayName(time, now, text.when)} ${clockOf(time)}`}</time>
    </span>
  )
}
