import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EventData, EventType } from '@hufu/contract/event-rules'

export interface Received {
  headers: IncomingHttpHeaders
  body: string
  id: string
  /** When it arrived, in epoch milliseconds. */
  at: number
  type: EventType
  data: EventData
}

type Answer = number | { status: number; headers?: Record<string, string>; body?: string } | 'silence'

export interface Receiver {
  url: string
  received: Received[]
  /** Called for each delivery; 204 unless said otherwise. */
  answer: (delivery: Received, count: number) => Answer | Promise<Answer>
  close(): Promise<void>
}

/** A server of another system, which takes deliveries. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], answer: () => 204, close }
  const server: Server = createServer(async (request, response) => {
    const at = Date.now()
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const { type, data } = JSON.parse(body)
    const delivery = { headers: request.headers, body, id: String(request.headers['webhook-id']), at, type, data }
    receiver.received.push(delivery)
    const answer = await receiver.answer(delivery, receiver.received.length)
    if (answer === 'silence') return
    const { status, headers, body: text } = typeof answer === 'number' ? { status: answer } : { body: '', ...answer }
    response.writeHead(status, headers).end(text)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  async function close() {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return receiver
}
