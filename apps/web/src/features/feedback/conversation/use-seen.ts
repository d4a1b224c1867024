import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'
import { useUser } from '../../../session/profile.api.ts'
import { noteSeen } from '../feedback.api.ts'
import type { Side, Talk } from './talk.ts'

function hearVisibility(changed: () => void) {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

const tryAgainAfter = 5_000

/** Only entries shown while the page was visible count as read. */
export function useSeen(end: RefObject<Element | null>, side: Side, talk: Talk) {
  const client = useQueryClient()
  const userId = useUser().user?.id ?? ''
  const [onScreen, setOnScreen] = useState(false)
  const visible = useSyncExternalStore(hearVisibility, () => !document.hidden)
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => setOnScreen(entries.at(-1)?.isIntersecting ?? false))
    if (end.current) observer.observe(end.current)
    return () => observer.disconnect()
  }, [end])
  const read = onScreen && visible && talk.unread ? talk.lastSeq : 0
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every newest entry, and again after a failure
  useEffect(() => {
    if (read === 0) return
    let timer: ReturnType<typeof setTimeout> | undefined
    noteSeen(client, userId, side, talk).catch(() => {
      timer = setTimeout(() => setTries((count) => count + 1), tryAgainAfter)
    })
    return () => clearTimeout(timer)
  }, [read, talk.id, tries])
}
