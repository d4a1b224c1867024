import { type RefObject, useEffect } from 'react'

/** A page with one form begins in its first field, but not where that would bring up a keyboard unasked. */
export function useFirstFocus(form: RefObject<HTMLFormElement | null>) {
  useEffect(() => {
    if (!window.matchMedia('(hover: hover) and (pointer: fine)').matches) return
    // Later than the change of page, which gives the focus to the page as a whole.
    const frame = requestAnimationFrame(() => {
      const free = document.activeElement === document.body || document.activeElement?.id === 'main'
      if (free) form.current?.querySelector<HTMLElement>('input:not([readonly])')?.focus()
    })
    return () => cancelAnimationFrame(frame)
  }, [form])
}
