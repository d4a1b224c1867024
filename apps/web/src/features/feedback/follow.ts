import type { QueryClient } from '@tanstack/react-query'
import { startLive, type Wake } from '../../lib/call/live.ts'
import { sides } from './conversation/talk.ts'
import { askUnread, deskKey, homeKey, listKey, refreshFeedback, talkKey } from './feedback.api.ts'

const quick = 4_000
const slow = 30_000
/** Refetch intervals on a busy site: for lists and counts, and a longer one for the home page. */
const listsEvery = 1_000
const homeEvery = 5_000

/** Keeps cached feedback up to date while a user is signed in; returns a function that stops it. */
export function follow(client: QueryClient, userId: string): () => void {
  const lists = throttle(listsEvery, () => {
    void askUnread(client, userId)
    for (const side of sides) void client.invalidateQueries({ queryKey: listKey(userId, side) })
  })
  const home = throttle(homeEvery, () => void client.invalidateQueries({ queryKey: homeKey(userId) }))
  const onWake = (wake?: Wake) => {
    if (wake) void client.invalidateQueries({ queryKey: deskKey(userId, wake.conversation) })
    if (wake?.desk) return
    home.run()
    if (!wake) {
      void askUnread(client, userId)
      void refreshFeedback(client, userId)
      return
    }
    for (const side of sides) void client.invalidateQueries({ queryKey: talkKey(userId, side, wake.conversation) })
    lists.run()
  }
  const onScreen = () => client.getQueryCache().findAll({ queryKey: ['feedback', userId], type: 'active' })
  // The count in the navigation alone is no reason to fetch often.
  const pause = () => (onScreen().some(({ queryKey }) => queryKey[2] !== 'unread') ? quick : slow)
  const stop = startLive(userId, { onWake, pause })
  void askUnread(client, userId)
  return () => {
    stop()
    lists.stop()
    home.stop()
  }
}

/** Runs at once, then at most once per interval; the last call always runs. */
function throttle(every: number, run: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let again = false
  const go = () => {
    again = false
    run()
    timer = setTimeout(() => {
      timer = undefined
      if (again) go()
    }, every)
  }
  return {
    run: () => {
      if (timer) again = true
      else go()
    },
    stop: () => clearTimeout(timer),
  }
}
