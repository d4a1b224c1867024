import { countdownRefresh } from '@hufu/contract/verify-code-rules'
import { useEffect, useState } from 'react'

export function secondsLeft(until: number, now: number): number {
  return Math.max(0, Math.ceil((until - now) / 1000))
}

/** Seconds until then, 0 when it has passed; looked at so often that it never seems to skip one. */
export function useCountdown(until: number): number {
  const [now, setNow] = useState(Date.now)
  const running = until > now
  useEffect(() => {
    setNow(Date.now())
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), countdownRefresh)
    return () => clearInterval(timer)
  }, [running])
  return secondsLeft(until, now)
}
