import { useEffect, useState } from 'react'

/** The time, told anew twice a minute: what was just now doesn't stay just now. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(now, Date.now())
}
