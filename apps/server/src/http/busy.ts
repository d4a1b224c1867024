import type { FastifyReply } from 'fastify'
import { AppError } from '../core/app-error.ts'
import { always, jsonType } from './headers.ts'

const body = Buffer.from(JSON.stringify(new AppError('SERVICE_BUSY').body()))
const head = Object.entries({
  ...always,
  'content-type': jsonType,
  'content-length': String(body.length),
  'retry-after': '1',
}).flat()
const bytes = body.toString('latin1')

/** The cheapest refusal there is: made ready once, and without a line in the log for each. */
export function sendBusy(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.writeHead(503, head)
  reply.raw.end(bytes, 'latin1')
}
