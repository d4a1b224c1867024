import { useCallback, useEffect, useRef, useState } from 'react'

/** The value after it has not changed for so long. `flush` takes the present one at once. */
export function useDebounced<Value>(value: Value, milliseconds: number): { debounced: Value; flush: () => void } {
  const [debounced, setDebounced] = useState(value)
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
    const timer = setTimeout(() => setDebounced(() => value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  const flush = useCallback(() => setDebounced(() => newest.current), [])
  return { debounced, flush }
}
