import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { refuseBusy } from './busy-response.ts'

export interface AdmissionRules {
  /** Whether the limit of calls in progress is reached. */
  full(): boolean
  /** Whether it is admitted regardless: health checks, and the assets of a page that is loading. */
  always(url: string): boolean
  /** Whether this one may call now, though there is capacity. */
  within(request: IncomingMessage): boolean
  refused(): void
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Refuses before any work: no route is looked up, no body read, no line logged. */
export function controlAdmission(server: Server, rules: AdmissionRules): void {
  const [answer] = server.listeners('request') as Handle[]
  if (!answer) throw new Error('the server takes no calls')
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { url = '/' } = request
    if (rules.always(url) || (!rules.full() && rules.within(request))) return answer(request, response)
    rules.refused()
    refuseBusy(response, url)
  })
}
