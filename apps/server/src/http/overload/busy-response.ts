import type { ServerResponse } from 'node:http'
import { meta } from '@hufu/contract/site'
import type { FastifyReply } from 'fastify'
import { AppError } from '../../platform/app-error.ts'
import { always, jsonType } from '../headers.ts'

/** A refusal that is built once. */
interface Busy {
  head: string[]
  bytes: string
}

function made(body: string, type: string): Busy {
  const bytes = Buffer.from(body).toString('latin1')
  const headers = { ...always, 'content-type': type, 'content-length': String(bytes.length), 'retry-after': '1' }
  return { head: Object.entries(headers).flat(), bytes }
}

const { message, ...failure } = new AppError('SERVICE_BUSY').body()
const ofCall = made(JSON.stringify({ ...failure, message }), jsonType)
/** The page treats an answer without a code as a network error and retries. */
const ofMeta = made('', jsonType)
/** A user who typed an address reads a sentence, not an object. */
const ofPage = made(message, 'text/plain; charset=utf-8')

const busyOf = (url: string): Busy => (url === meta.path ? ofMeta : url.startsWith('/api/') ? ofCall : ofPage)

/** The cheapest refusal that node:http offers, without a log line for each. */
export function refuseBusy(response: ServerResponse, url: string): void {
  const { head, bytes } = busyOf(url)
  response.writeHead(503, head)
  response.end(bytes, 'latin1')
}

export function sendBusy(reply: FastifyReply): void {
  reply.hijack()
  refuseBusy(reply.raw, reply.request.url)
}
