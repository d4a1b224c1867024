import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody, sendJson } from './loopback.ts'

const modes = ['ok', 'slow', 'fail', 'reset', 'hang', 'refuse'] as const

export interface Fault {
  /**
   * slow: answers after `delayMs`; fail: an error that leaves open whether the message went out; reset: cuts the
   * connection; hang: never answers; refuse: a definite refusal with `code`.
   */
  mode: (typeof modes)[number]
  delayMs?: number
  code?: string
  /** For so many messages, then ok again; for all of them unless given. */
  count?: number
  /** With fail, reset and hang: the message reaches the user all the same. */
  deliver?: boolean
}

export interface Faults {
  set(fault: Fault): void
  /** What shall happen to the message that has just come. */
  next(): Fault
  /** Answers `GET` and `POST /control`. */
  control(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export function createFaults(): Faults {
  let fault: Fault = { mode: 'ok' }
  let left = Number.POSITIVE_INFINITY
  let received = 0

  function set(next: Fault) {
    fault = next
    left = next.count ?? Number.POSITIVE_INFINITY
  }

  function next(): Fault {
    received++
    return left-- > 0 ? fault : { mode: 'ok' }
  }

  async function control(request: IncomingMessage, response: ServerResponse) {
    if (request.method === 'POST') {
      const wanted = readFault(await readBody(request))
      if (!wanted) return sendJson(response, 400, { message: `mode is one of ${modes.join(', ')}` })
      set(wanted)
    }
    sendJson(response, 200, { data: { ...(left > 0 ? fault : { mode: 'ok' }), received } })
  }
  return { set, next, control }
}

export const isFault = (fault: Partial<Fault>): fault is Fault => modes.some((mode) => mode === fault.mode)

function readFault(text: string): Fault | undefined {
  try {
    const fault = JSON.parse(text) as Partial<Fault>
    return isFault(fault) ? fault : undefined
  } catch {
    return undefined
  }
}
