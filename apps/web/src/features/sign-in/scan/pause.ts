/**
 * Waits so long, and on for as long as the page is hidden. Ends early when the page is visible again or the
 * network is back. False once it was aborted.
 */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const ended = new AbortController()
    const end = () => {
      if (!signal.aborted && document.hidden) return
      ended.abort()
      clearTimeout(timer)
      resolve(!signal.aborted)
    }
    const timer = setTimeout(end, ms)
    document.addEventListener('visibilitychange', end, { signal: ended.signal })
    window.addEventListener('online', end, { signal: ended.signal })
    signal.addEventListener('abort', end, { signal: ended.signal })
    if (signal.aborted) end()
  })
}
