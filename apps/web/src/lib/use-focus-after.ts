import { useEffect } from 'react'

/** The button that was pressed goes with its part of the page: the page as a whole has the focus next. */
export function useFocusAfter() {
  useEffect(() => () => document.getElementById('main')?.focus({ preventScroll: true }), [])
}
