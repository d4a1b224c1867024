import fc from 'fast-check'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { nastyText } from '../../../../tools/fuzz/nasty.ts'
import { addressReader } from './address.ts'
import { callLine } from './call-line.ts'

const calls = fc.record({
  method: fc.oneof(fc.constantFrom('GET', 'POST', 'TRACE', 'get'), nastyText),
  from: fc.oneof(fc.ipV4(), fc.ipV6(), nastyText),
  status: fc.integer({ min: 100, max: 599 }),
  ms: fc.double({ min: 0, max: 1e9, noNaN: true }),
})
const read = addressReader({ trustedProxies: [], proxyHeader: 'x-forwarded-for' })

fuzz('call-line', 'a call leaves one line of JSON without a whole address', calls, ({ method, from, status, ms }) => {
  const address = read({ socket: { remoteAddress: from }, headers: {} } as unknown as FastifyRequest)
  const request = { method, address, id: 'id', route: '/api/meta', site: { id: 'site' } } as unknown as FastifyRequest
  const line = quick(method.length, () => callLine(request, { raw: { statusCode: status } } as FastifyReply, ms))
  expect(line.indexOf('\n')).toBe(line.length - 1)
  const told = JSON.parse(line)
  expect(told).toMatchObject({ status, route: '/api/meta', site: 'site', msg: 'call' })
  expect(Math.abs(told.ms - ms)).toBeLessThanOrEqual(0.0501)
  expect(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'OTHER']).toContain(told.method)
  if (!/\.0$|:0:0:0:0:0$/.test(address)) expect(line).not.toContain(address)
})
