import type { QueryClient } from '@tanstack/react-query'
import { startLive, type Wake } from '../../lib/live.ts'
import { askUnread, listKey, refreshFeedback, talkKey } from './feedback.api.ts'
import { sides } from './talk.ts'

const quick = 4_000
const slow = 30_000
/** Lists and counts follow a busy site no closer than this. */
const atMostEvery = 1_000

/** Keeps what is known of feedback up to date while somebody is signed in; answers a function that stops. */
export function follow(client: QueryClient, userId: string): () => void {
  const lists = seldom(() => {
    void askUnread(client, userId)
    for (const side of sides) void client.invalidateQueries({ queryKey: listKey(userId, side) })
  })
  const onWake = (wake?: Wake) => {
    if (!wake) {
      void askUnread(client, userId)
      void refreshFeedback(client, userId)
      return
    }
    for (const side of sides) void client.invalidateQueries({ queryKey: talkKey(userId, side, wake.conversation) })
    lists.run()
  }
  const onScreen = () => client.getQueryCache().findAll({ queryKey: ['feedback', userId], type: 'active' })
  // The count in the navigation alone is no reason to ask often.
  const pause = () => (onScreen().some(({ queryKey }) => queryKey[2] !== 'unread') ? quick : slow)
  const stop = startLive(userId, { onWake, pause })
  void askUnread(client, userId)
  return () => {
    stop()
    lists.stop()
  }
}

/** At once, and then at most so often; the last call is never forgotten. */
function seldom(run: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false
  const go = () => {
    again = false
    run()
    timer = setTimeout(() => {
      timer = undefined
      if (again) go()
    }, atMostEvery)
  }
  return {
    run: () => {
      if (timer) again = true
      else go()
    },
    stop: () => clearTimeout(timer),
  }
}
