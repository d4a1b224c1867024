import { useCallback, useEffect, useRef, useState } from 'react'

/** The value as it was when it last rested for so long. `hurry` takes the present one at once. */
export function useRested<Value>(value: Value, milliseconds: number): { rested: Value; hurry: () => void } {
  const [rested, setRested] = useState(value)
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
    const timer = setTimeout(() => setRested(() => value), milliseconds)
    return () => clearTimeout(timer)
  }, [value, milliseconds])
  const hurry = useCallback(() => setRested(() => newest.current), [])
  return { rested, hurry }
}
