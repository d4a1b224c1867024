import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { controlAdmission } from './admission.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** A server with admission rules that the test switches, and a client that keeps one connection to it. */
async function house(now: { full: boolean; within: boolean }) {
  const server = createServer(async (asked, answer) => void answer.end(`${asked.url} ${await text(asked)}`))
  let refused = 0
  controlAdmission(server, {
    full: () => now.full,
    always: (url) => url === '/healthz',
    within: () => now.within,
    refused: () => void refused++,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closing.push(
    () => server.close(),
    () => agent.destroy(),
  )
  const { port } = server.address() as AddressInfo
  const ask = (path: string, body: string) =>
    new Promise<{ status: number | undefined; type: string | undefined; wait: string | undefined; body: string }>(
      (resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', method: 'POST', path, agent }, async (answer) => {
          const { 'content-type': type, 'retry-after': wait } = answer.headers
          resolve({ status: answer.statusCode, type, wait, body: await text(answer) })
        })
        sent.on('error', reject).end(body)
      },
    )
  return { ask, refused: () => refused }
}

test('while it is full all callers get 服务繁忙, a page in words and a call as a code, and the connection stays good', async () => {
  const now = { full: true, within: true }
  const { ask, refused } = await house(now)
  expect(await ask('/api/user/info', '{}')).toMatchObject({
    status: 503,
    wait: '1',
    body: expect.stringContaining('"code":"SERVICE_BUSY"'),
  })
  expect(await ask('/api/meta', '{}')).toMatchObject({ status: 503, body: '' })
  expect(await ask('/login', '')).toMatchObject({ status: 503, type: 'text/plain; charset=utf-8' })
  expect(refused()).toBe(3)
  expect(await ask('/healthz', '')).toMatchObject({ status: 200 })
  now.full = false
  expect(await ask('/api/user/info', '{"a":1}')).toMatchObject({ status: 200, body: '/api/user/info {"a":1}' })
  expect(refused()).toBe(3)
})

test('who asks more than their share is refused though there is room', async () => {
  const { ask, refused } = await house({ full: false, within: false })
  expect(await ask('/api/user/info', '{}')).toMatchObject({ status: 503 })
  expect(await ask('/healthz', '')).toMatchObject({ status: 200 })
  expect(refused()).toBe(1)
})
