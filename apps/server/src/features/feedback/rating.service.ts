import type { FeedbackRating } from '@hufu/contract/feedback'
import { feedbackStatus } from '@hufu/contract/feedback-rules'
import { AppError } from '../../platform/app-error.ts'
import { publish } from '../../platform/redis/live-events.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { holdFeedback } from './feedback.store.ts'
import { setRating } from './rating.store.ts'

/** By the user alone, and only while it is closed; it stays when the conversation goes on. */
export async function rate(
  deps: Pick<Deps, 'db' | 'cache'>,
  site: Site,
  { userId }: Caller,
  { id, ...thought }: { id: string; score: number; words: string },
): Promise<FeedbackRating> {
  const { time, seq } = await deps.db.transaction().execute(async (tx) => {
    const held = await holdFeedback(tx, site.id, id)
    if (held?.userId !== userId) throw new AppError('NOT_FOUND')
    if (held.status !== feedbackStatus.closed) throw new AppError('FEEDBACK_STATUS_CONFLICT', { status: held.status })
    return { time: await setRating(tx, site.id, id, thought), seq: held.lastSeq }
  })
  await publish(deps.cache, { site: site.id, user: userId, conversation: id, seq })
  return { ...thought, time }
}
