import type { FeedbackRating } from '@hufu/contract/feedback'
import { RatingStars } from '../conversation/rating-stars.tsx'
import { useDeskText } from './desk.text.ts'

/** What the user thought of it, in their own words. */
export function MerchantRating({ rating: { score, words } }: { rating: FeedbackRating }) {
  const text = useDeskText()
  return (
    <div className="rating-given">
      <b>{text.rated}</b>
      <RatingStars score={score} />
      {words && <p>{words}</p>}
    </div>
  )
}
