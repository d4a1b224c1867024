import { countdownRefresh } from '@hufu/contract/verify-code-rules'
import { useEffect, useState } from 'react'

export function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}

/** Seconds until then, 0 when it has passed; refreshed often enough that no second is skipped. */
export function useCountdown(until: number): number {
  const seconds = secondsLeft(until, Date.now())
  const [, redraw] = useState(seconds)
  const running = seconds > 0
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => redraw(secondsLeft(until, Date.now())), countdownRefresh)
    return () => clearInterval(timer)
  }, [until, running])
  return seconds
}
