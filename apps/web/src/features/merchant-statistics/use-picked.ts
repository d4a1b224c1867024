import { type KeyboardEvent, type PointerEvent, useState } from 'react'

const moves: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  Home: () => 0,
  End: (_, last) => last,
}

/** Which of a row of points is picked, by mouse, finger or keys. */
export function usePicked(count: number) {
  const [known, setPicked] = useState<number>()
  const last = count - 1
  const picked = known !== undefined && known <= last ? known : undefined
  const pick = (at: number) => setPicked(Math.min(last, Math.max(0, at)))
  const onPointer = ({ currentTarget, clientX }: PointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    if (width > 0) pick(Math.round(((clientX - left) / width) * last))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setPicked(undefined)
    const move = moves[event.key]
    if (!move) return
    event.preventDefault()
    pick(move(picked ?? last, last))
  }
  const handlers = {
    onPointerDown: onPointer,
    onPointerMove: onPointer,
    // A point picked by touch stays after the finger is lifted.
    onPointerLeave: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && setPicked(undefined),
    onKeyDown,
    onFocus: () => setPicked((now) => now ?? last),
    onBlur: () => setPicked(undefined),
  }
  return { picked, handlers }
}
