import { once } from 'node:events'
import { type ClientRequest, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventsPath } from '@hufu/contract/events'
import { afterEach, expect, test } from 'vitest'
import { deliveredProxy, runNginx } from '../../verify/harness/nginx.ts'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

/** Answers as a process of the API does: calls at once, streams with a beginning and no end. */
async function startApi(): Promise<number> {
  const server = createServer(({ url }, answer) => {
    if (url === eventsPath) answer.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 2000\n\n')
    else answer.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  endings.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function openStream(url: string): Promise<[ClientRequest, number | undefined]> {
  const request = get(url + eventsPath, { agent: false })
  const [answer] = await once(request, 'response')
  answer.resume().on('error', () => {})
  return [request, answer.statusCode]
}

test('open event streams take no place of a call', async () => {
  const nginx = await runNginx(deliveredProxy([await startApi(), await startApi()]))
  endings.push(() => nginx.stop())
  // More than both processes take calls.
  const streams = await Promise.all(Array.from({ length: 300 }, () => openStream(nginx.url)))
  endings.push(() => {
    for (const [request] of streams) request.on('error', () => {}).destroy()
  })
  expect(new Set(streams.map(([, status]) => status))).toEqual(new Set([200]))
  const call = await fetch(`${nginx.url}/api/user/info`, { method: 'POST' })
  expect([call.status, await call.text()]).toEqual([200, '{}'])
})
