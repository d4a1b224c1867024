import { type RefObject, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { entryNumber } from './go-back.ts'
import { guardHistory, guardMoves } from './history-guard.ts'

/** A link that would replace this page. */
function linkOf({ target, button, ctrlKey, metaKey, shiftKey }: MouseEvent): URL | undefined {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!link || link.target || link.hasAttribute('download') || button || ctrlKey || metaKey || shiftKey)
    return undefined
  const url = new URL(link.href)
  return url.origin === window.location.origin && url.pathname !== window.location.pathname ? url : undefined
}

/**
 * Asks before a page with unsaved work is left: by a link, by going back, by closing the tab.
 * `leave` goes where the user wanted to go.
 */
export function useLeaveGuard(active: boolean) {
  const navigate = useNavigate()
  const [onward, setOnward] = useState<() => void>()
  const open = useRef(false)
  useEffect(() => {
    if (!active) return
    const ask = (go: () => void) => setOnward(() => go)
    const stopped = [
      guardTab(),
      guardLinks(open, (url) => ask(() => void navigate(url))),
      guardSteps(open, ask),
      guardMoves((go) => (open.current ? go() : ask(go))),
    ]
    return () => {
      for (const stop of stopped) stop()
    }
  }, [active, navigate])
  const leave = () => {
    open.current = true
    onward?.()
  }
  return { asking: onward !== undefined, leave, stay: () => setOnward(undefined) }
}

/** There the browser asks in its own words. */
function guardTab(): () => void {
  const ask = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', ask)
  return () => window.removeEventListener('beforeunload', ask)
}

function guardLinks(open: RefObject<boolean>, ask: (address: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    const url = open.current ? undefined : linkOf(event)
    if (!url) return
    event.preventDefault()
    event.stopPropagation()
    ask(url.pathname + url.search)
  }
  document.addEventListener('click', onClick, true)
  return () => document.removeEventListener('click', onClick, true)
}

/** Hides the step from the router and returns the browser to the entry of the present page. */
function guardSteps(open: RefObject<boolean>, ask: (go: () => void) => void): () => void {
  const own = entryNumber()
  return guardHistory((event) => {
    if (open.current) return
    event.stopImmediatePropagation()
    const steps = entryNumber() - own
    if (steps === 0) return
    window.history.go(-steps)
    ask(() => window.history.go(steps))
  })
}
