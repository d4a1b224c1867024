import { useEffect, useRef } from 'react'
import { entryNumber } from '../../lib/history/go-back.ts'

let left: { from: number; to: number } | undefined

/** Records how the check page is left. */
export function useNoteLeaving() {
  useEffect(() => {
    const from = entryNumber()
    return () => {
      left = { from, to: entryNumber() }
    }
  }, [])
}

/**
 * Whether the user came back from the check by the browser's back button: leading there again would trap them. To be read
 * in effects, because the check page unmounts only when this one is rendered.
 */
export function useCameBack() {
  const cameBack = useRef(false)
  useEffect(() => {
    cameBack.current = left !== undefined && left.to === left.from - 1 && left.to === entryNumber()
    left = undefined
  }, [])
  return cameBack
}
