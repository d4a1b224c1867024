import { useEffect, useRef, useState } from 'react'

let held = false
const kept = new Map<string, unknown>()

/** The page is left for the identity check: keep its input. */
export function holdInput() {
  held = true
}

/** The check was not completed: drop the input. */
export function dropInput() {
  kept.clear()
}

/**
 * The input of a page, or of one part of it. It outlives the page only during the identity check, and only in
 * memory, because it may hold passwords.
 */
export function useKeptInput<Values>(part: string, opening: () => Values) {
  const [values, setValues] = useState(() => (kept.has(part) ? (kept.get(part) as Values) : opening()))
  const newest = useRef(values)
  useEffect(() => {
    newest.current = values
  }, [values])
  useEffect(() => {
    kept.delete(part)
    held = false
    return () => {
      if (held) kept.set(part, newest.current)
    }
  }, [part])
  return [values, setValues] as const
}
