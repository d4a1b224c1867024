import './rating.css'
import { ratingMost, ratingWordsMost } from '@hufu/contract/feedback-rules'
import { Star } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useRate } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { RatingStars } from './rating-stars.tsx'
import type { Talk } from './talk.ts'

/** Takes the focus when it comes. */
const focusIt = (element: HTMLElement | null) => element?.focus()

/** What the user thinks of a conversation that is over: asked in one line, and never in the way of a next one. */
export function RatingCard({ talk: { id, rating } }: { talk: Talk }) {
  const text = useFeedbackText().rating
  const [changing, setChanging] = useState(false)
  // Where the form was, so that the focus isn't lost with it.
  const [done, setDone] = useState(false)
  const onDone = () => {
    setChanging(false)
    setDone(true)
  }
  if (!rating || changing) return <RatingForm id={id} given={rating ?? undefined} onDone={onDone} />
  return (
    <section className="rate-card" aria-label={text.given}>
      <div className="rate-head">
        <b>{text.given}</b>
        <RatingStars score={rating.score} />
        <Button ref={done ? focusIt : undefined} kind="text" onClick={() => setChanging(true)}>
          {text.change}
        </Button>
      </div>
      {rating.words && <p className="rate-words">{rating.words}</p>}
    </section>
  )
}

interface FormProps {
  id: string
  /** What was given before. */
  given: { score: number; words: string } | undefined
  onDone: () => void
}

function RatingForm({ id, given, onDone }: FormProps) {
  const text = useFeedbackText().rating
  const [score, setScore] = useState(given?.score ?? 0)
  const [words, setWords] = useState(given?.words ?? '')
  const { mutate, isPending } = useRate(id)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const onSuccess = () => {
      showToast('good', text.thanks)
      onDone()
    }
    if (!isPending) mutate({ score, words: words.trim() }, { onSuccess })
  }
  return (
    <form className="rate-card" aria-label={text.ask} onSubmit={submit}>
      <div className="rate-head">
        <b>{text.ask}</b>
        <StarChoice score={score} onScore={setScore} />
      </div>
      {score > 0 && (
        <>
          <textarea
            rows={2}
            aria-label={text.more}
            placeholder={text.morePlaceholder}
            maxLength={ratingWordsMost}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
          <div className="rate-foot">
            <span className="note">{text.counted(words.length)}</span>
            {given && (
              <Button kind="quiet" onClick={onDone}>
                {text.cancel}
              </Button>
            )}
            <Button type="submit" busy={isPending}>
              {text.submit}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}

/** Real radio buttons: the arrow keys come with them. */
function StarChoice({ score, onScore }: { score: number; onScore: (score: number) => void }) {
  const text = useFeedbackText().rating
  const name = useId()
  return (
    <div className="rate-choice">
      <div className="stars" role="radiogroup" aria-label={text.choose}>
        {Array.from({ length: ratingMost }, (_, at) => at + 1).map((each) => (
          <label key={each}>
            <input
              ref={each === score ? focusIt : undefined}
              type="radio"
              name={name}
              aria-label={text.stars(each, text.words[each - 1])}
              checked={each === score}
              onChange={() => onScore(each)}
            />
            <Star className={each <= score ? 'lit' : undefined} />
          </label>
        ))}
      </div>
      <span aria-hidden="true">{text.words[score - 1] ?? ''}</span>
    </div>
  )
}
