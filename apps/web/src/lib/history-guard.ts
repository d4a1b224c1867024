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
