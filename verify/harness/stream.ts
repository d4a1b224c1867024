import { Agent, type IncomingMessage, request } from 'node:http'
import { eventsPath, type WakeEvent } from '@hufu/contract/events'
import { expect } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { type Browser, nextUrl } from './harness.ts'

export interface Stream {
  status: number
  received: WakeEvent[]
  /** Everything that was received, verbatim. */
  text: string
  /** When it ended, by the clock of this process. */
  endedAt: number | undefined
  close(): void
}

/** Streams stay open: they share no socket with calls. */
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })

/** Waits until all of them have ended, for a second at most. */
export const allEnded = (streams: Stream[]): Promise<void> =>
  expect
    .poll(() => streams.map(({ endedAt }) => endedAt !== undefined), { timeout: 1_000 * leeway })
    .not.toContain(false)

/** The event stream of a browser at one of the processes. */
export async function openStream(
  site: TestSite,
  { cookies, address }: Browser,
  url = nextUrl(),
  headers: Record<string, string> = {},
): Promise<Stream> {
  const call = request(url + eventsPath, {
    agent,
    headers: {
      host: site.host,
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': address,
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...headers,
    },
  })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve).once('error', reject).end()
  })
  const stream: Stream = {
    status: answer.statusCode ?? 0,
    received: [],
    text: '',
    endedAt: undefined,
    close: () => call.destroy(),
  }
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => {
    stream.text += text
    for (const [, event = ''] of text.matchAll(/^data: (.*)$/gm)) stream.received.push(JSON.parse(event) as WakeEvent)
  })
  answer.on('error', () => {})
  answer.on('close', () => {
    stream.endedAt = performance.now()
  })
  return stream
}
