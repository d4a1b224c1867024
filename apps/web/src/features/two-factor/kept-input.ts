import { useEffect, useRef, useState } from 'react'

let held = false
let kept: { page: string; values: unknown } | undefined

/** The page is left for the identity check: what is typed on it waits. */
export function holdInput() {
  held = true
}

/** The check was not made: nobody comes back for it. */
export function dropInput() {
  kept = undefined
}

/**
 * What is typed on a page. It outlives the page only while the identity check is made, and only in memory: passwords are
 * among it.
 */
export function useKeptInput<Values>(page: string, opening: () => Values) {
  const [values, setValues] = useState(() => (kept?.page === page ? (kept.values as Values) : opening()))
  const newest = useRef(values)
  useEffect(() => {
    newest.current = values
  }, [values])
  useEffect(() => {
    kept = undefined
    held = false
    return () => {
      if (held) kept = { page, values: newest.current }
    }
  }, [page])
  return [values, setValues] as const
}
