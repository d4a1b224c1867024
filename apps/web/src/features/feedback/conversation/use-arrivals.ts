import type { FeedbackEntry } from '@hufu/contract/feedback'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Side } from './talk.ts'

/** Nearer to the end than this counts as being there. */
const near = 48

const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: Element) => scrollHeight - scrollTop - clientHeight < near

/**
 * Keeps the reading position: entries added above push nothing away. Entries added below scroll into view if the end was
 * visible; otherwise a notice is shown.
 */
export function useArrivals(box: RefObject<HTMLElement | null>, side: Side, entries: FeedbackEntry[]) {
  const [behind, setBehind] = useState(false)
  const [announced, setAnnounced] = useState<FeedbackEntry>()
  const was = useRef({ first: 0, last: 0, height: 0, atEnd: true })
  const first = entries[0]?.seq ?? 0
  const newest = entries.at(-1)
  useLayoutEffect(() => {
    const shown = box.current
    if (!shown) return
    const { current: before } = was
    const last = newest?.seq ?? 0
    const isNew = before.last > 0 && last > before.last
    const isOwn = newest?.role === side
    if (before.last === 0 || before.atEnd || (isNew && isOwn)) shown.scrollTop = shown.scrollHeight
    else if (first < before.first) shown.scrollTop += shown.scrollHeight - before.height
    if (isNew && !isOwn) {
      setAnnounced(newest)
      if (!before.atEnd) setBehind(true)
    }
    was.current = { first, last, height: shown.scrollHeight, atEnd: isAtEnd(shown) }
  }, [box, side, first, newest])
  useEffect(() => {
    const shown = box.current
    if (!shown) return
    const onScroll = () => {
      was.current.atEnd = isAtEnd(shown)
      if (was.current.atEnd) setBehind(false)
    }
    // The input grew or the keyboard opened: stay at the end.
    const sizes = new ResizeObserver(() => {
      if (was.current.atEnd) shown.scrollTop = shown.scrollHeight
      was.current.height = shown.scrollHeight
    })
    sizes.observe(shown)
    shown.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      sizes.disconnect()
      shown.removeEventListener('scroll', onScroll)
    }
  }, [box])
  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
    setBehind(false)
  }
  return { behind, toEnd, announced }
}
