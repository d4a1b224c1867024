import { useEffect, useRef, useState } from 'react'

let held = false
const kept = new Map<string, unknown>()

/** The page is left for the identity check: what is typed on it waits. */
export function holdInput() {
  held = true
}

/** The check was not made, so the input isn't needed any more. */
export function dropInput() {
  kept.clear()
}

/**
 * What is typed on a page, or in one part of it. It outlives the page only while the identity check is made, and only in
 * memory: passwords are among it.
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
