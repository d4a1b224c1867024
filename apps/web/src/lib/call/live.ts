/** A conversation has new entries, up to this one. */
export interface Wake {
  conversation: string
  seq: number
  /** Only notes and presence of operators. */
  desk?: true
}

interface Subscriber {
  /** The conversation; without one anything may have changed, as after every gap. */
  onWake: (wake?: Wake) => void
  /** The polling interval while the stream is down. */
  pause: () => number
}

type Note = { wake: Wake } | { up: boolean } | { asks: true }

const address = '/api/events'
const reopenAfter = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000]

/**
 * Subscribes to the user's events over one event stream per browser: the tab that holds the lock keeps it open and
 * publishes to the others. Without locks or channels every tab keeps its own. An event says only that something is new and
 * each subscriber fetches for itself, so a lost or repeated event does no harm.
 */
export function startLive(userId: string, { onWake, pause }: Subscriber): () => void {
  const listening = new AbortController()
  const { signal } = listening
  let up = false
  const channel = openChannel(userId)
  const adopt = (now: boolean) => {
    if (now && !up) onWake()
    up = now
  }
  let lead: (() => boolean) | undefined
  const publish = (note: Note) => channel?.postMessage(note)
  channel?.addEventListener(
    'message',
    ({ data }: MessageEvent<Note>) => {
      if ('asks' in data) lead && publish({ up: lead() })
      else if (lead) return
      else if ('wake' in data) onWake(data.wake)
      else adopt(data.up)
    },
    { signal },
  )
  const state = (now: boolean) => {
    adopt(now)
    publish({ up: now })
  }
  const keep = () => {
    // The tab that held it is gone, and events since then were received by no tab.
    state(false)
    const stream = keepStream({
      onState: state,
      // The session may have ended: a fetch will show it.
      onRefused: () => onWake(),
      onWake: (wake) => {
        onWake(wake)
        publish({ wake })
      },
      signal,
    })
    lead = stream.isUp
  }
  if (channel) {
    publish({ asks: true })
    navigator.locks.request(`live:${userId}`, { signal }, () => hold(keep, signal)).catch(() => undefined)
  } else keep()
  lookAround(() => up, { onWake, pause }, signal)
  return () => {
    listening.abort()
    channel?.close()
  }
}

const openChannel = (userId: string) =>
  typeof BroadcastChannel === 'function' && navigator.locks ? new BroadcastChannel(`live:${userId}`) : undefined

/** The lock is held until the promise settles. */
function hold(keep: () => void, signal: AbortSignal) {
  return new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve())
    keep()
  })
}

interface Stream {
  onState: (up: boolean) => void
  onRefused: () => void
  onWake: (wake: Wake) => void
  signal: AbortSignal
}

/** The browser doesn't reopen a refused stream: it is reopened here, with backoff. */
function keepStream({ onState, onRefused, onWake, signal }: Stream): { isUp: () => boolean } {
  let up = false
  let refusals = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let source: EventSource
  const say = (now: boolean) => {
    up = now
    onState(now)
  }
  const open = () => {
    source = new EventSource(address)
    source.onopen = () => {
      refusals = 0
      say(true)
    }
    source.onmessage = ({ data }) => onWake(JSON.parse(data) as Wake)
    source.onerror = () => {
      say(false)
      if (source.readyState !== EventSource.CLOSED) return
      onRefused()
      timer = setTimeout(open, reopenAfter[Math.min(refusals, reopenAfter.length - 1)])
      refusals += 1
    }
  }
  open()
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    source.close()
    say(false)
  })
  return { isUp: () => up }
}

/** Polls while the stream is down, and whenever the page becomes visible; never while it is hidden. */
function lookAround(isUp: () => boolean, { onWake, pause }: Subscriber, signal: AbortSignal) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    if (!isUp() && !document.hidden) onWake()
    timer = setTimeout(look, pause())
  }
  timer = setTimeout(look, pause())
  document.addEventListener('visibilitychange', () => document.hidden || onWake(), { signal })
  window.addEventListener('online', () => onWake(), { signal })
  signal.addEventListener('abort', () => clearTimeout(timer))
}
