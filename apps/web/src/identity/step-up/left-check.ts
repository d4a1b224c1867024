import { useEffect, useRef } from 'react'
import { entryNumber } from '../../lib/history/go-back.ts'

let left: { from: number; to: number } | undefined

/** Notes how the check page is left. */
export function useNoteLeaving() {
  useEffect(() => {
    const from = entryNumber()
    return () => {
      left = { from, to: entryNumber() }
    }
  }, [])
}

/**
 * Whether this page was come back to from the check by the browser's own button: asking again would be a trap. To be read
 * in effects, for the check page is left only when this one is drawn.
 */
export function useCameBack() {
  const cameBack = useRef(false)
  useEffect(() => {
    cameBack.current = left !== undefined && left.to === left.from - 1 && left.to === entryNumber()
    left = undefined
  }, [])
  return cameBack
}
