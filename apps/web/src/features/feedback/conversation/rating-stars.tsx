import './rating.css'
import { ratingMost } from '@hufu/contract/feedback-rules'
import { Star } from 'lucide-react'
import { useFeedbackText } from '../feedback.text.ts'

/** A given rating, as stars and in a word. */
export function RatingStars({ score }: { score: number }) {
  const text = useFeedbackText().rating
  return (
    <span className="rated">
      <span className="stars" role="img" aria-label={text.stars(score, text.words[score - 1])}>
        {Array.from({ length: ratingMost }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: stars have no identity and never move
          <Star key={at} className={at < score ? 'lit' : undefined} />
        ))}
      </span>
      <span aria-hidden="true">{text.words[score - 1]}</span>
    </span>
  )
}
