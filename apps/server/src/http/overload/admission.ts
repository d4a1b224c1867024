import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { refuseBusy } from './busy-response.ts'

export interface AdmissionRules {
  /** Whether there is no place for one more call. */
  full(): boolean
  /** Whether it goes in even so: probes, and the parts of a page that is there already. */
  always(url: string): boolean
  /** Whether this one may ask now, though there is room. */
  within(request: IncomingMessage): boolean
  refused(): void
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Refuses before anything is done for a call: no route is looked up, no body read, no line written. */
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
