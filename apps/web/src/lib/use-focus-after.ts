import { useEffect } from 'react'

/** The pressed button is removed with its part: the focus moves to the page as a whole. */
export function useFocusAfter() {
  useEffect(() => () => document.getElementById('main')?.focus({ preventScroll: true }), [])
}
