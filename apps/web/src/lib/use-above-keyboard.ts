import { type RefObject, useEffect } from 'react'

/** A keyboard that slides in covers neither the field in use nor the button under it. */
export function useAboveKeyboard(form: RefObject<HTMLFormElement | null>) {
  useEffect(() => {
    const reveal = () => {
      if (!form.current?.contains(document.activeElement)) return
      form.current.querySelector('[type=submit]')?.scrollIntoView({ block: 'nearest' })
      document.activeElement?.scrollIntoView({ block: 'nearest' })
    }
    window.visualViewport?.addEventListener('resize', reveal)
    return () => window.visualViewport?.removeEventListener('resize', reveal)
  }, [form])
}
