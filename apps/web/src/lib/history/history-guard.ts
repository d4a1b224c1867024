type Guard = (event: PopStateEvent) => void

let guard: Guard | undefined

/** When a step back was requested that the browser hasn't made yet. */
let steppingSince = Number.NEGATIVE_INFINITY
/** The timeout for that. */
const patienceMs = 1_000

// Listeners of the window are called in the order in which they were added: this one is loaded before the router.
window.addEventListener('popstate', (event) => {
  steppingSince = Number.NEGATIVE_INFINITY
  guard?.(event)
})

/** Steps back once: a second request, from a double tap or while the page is already leaving, is ignored. */
export function stepBack(go: () => void) {
  if (performance.now() - steppingSince < patienceMs) return
  steppingSince = performance.now()
  go()
}

/** Subscribes to back and forward before the router, and may stop it. Returns a function that unsubscribes. */
export function guardHistory(next: Guard): () => void {
  guard = next
  return () => {
    if (guard === next) guard = undefined
  }
}

type Ask = (go: () => void) => void

let asks: Ask | undefined

/** Subscribes to navigations by code. Returns a function that unsubscribes. */
export function guardMoves(ask: Ask): () => void {
  asks = ask
  return () => {
    if (asks === ask) asks = undefined
  }
}

/** Navigates, unless a page asks first. */
export function move(go: () => void) {
  if (asks) asks(go)
  else go()
}
