type Guard = (event: PopStateEvent) => void

let guard: Guard | undefined

/** When the browser was asked for a step back that it hasn't made yet. */
let steppingSince = Number.NEGATIVE_INFINITY
/** So long it is waited for. */
const patienceMs = 1_000

// Listeners of the window are called in the order in which they were added: this one is loaded before the router.
window.addEventListener('popstate', (event) => {
  steppingSince = Number.NEGATIVE_INFINITY
  guard?.(event)
})

/** Steps back, once: of a double tap, or a tap while the page leaves by itself, the second step would be one too many. */
export function stepBack(go: () => void) {
  if (performance.now() - steppingSince < patienceMs) return
  steppingSince = performance.now()
  go()
}

/** Hears of going back and forward before the router does, and may keep it from hearing. Answers a function that stops. */
export function guardHistory(hear: Guard): () => void {
  guard = hear
  return () => {
    if (guard === hear) guard = undefined
  }
}

type Ask = (go: () => void) => void

let asks: Ask | undefined

/** Hears of moves that are neither links nor steps in the history. Answers a function that stops. */
export function guardMoves(ask: Ask): () => void {
  asks = ask
  return () => {
    if (asks === ask) asks = undefined
  }
}

/** Moves on, unless a page has something to ask before. */
export function move(go: () => void) {
  if (asks) asks(go)
  else go()
}
