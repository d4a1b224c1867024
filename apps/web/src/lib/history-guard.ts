type Guard = (event: PopStateEvent) => void

let guard: Guard | undefined

// Listeners of the window are called in the order in which they were added: this one is loaded before the router.
window.addEventListener('popstate', (event) => guard?.(event))

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
