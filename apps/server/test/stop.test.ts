import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Running, ready, runHufu } from '../../../tools/run/product.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { createDatabase, testKeys } from './test-app.ts'

async function serve(): Promise<{ server: Running; port: number }> {
  const port = await freePort()
  const server = runHufu('serve', {
    HUFU_DATABASE_URL: await createDatabase(),
    HUFU_REDIS_URL: inject('redisUrl'),
    HUFU_KEYS: testKeys(),
    HUFU_PORT: String(port),
    HUFU_LOG_LEVEL: 'warn',
  })
  onTestFinished(() => server.stop())
  await ready(`http://127.0.0.1:${port}`, server)
  return { server, port }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** One call on a connection that stays; its answer with all headers, or none. */
async function ask(socket: Socket): Promise<string> {
  if (socket.destroyed) return ''
  socket.write('GET /healthz HTTP/1.1\r\nhost: any\r\n\r\n')
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return String(answer)
}

const refused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(true))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })

const patiently = { timeout: 60_000 }

test('a process that is stopped waits for no connection that never asked anything', patiently, async () => {
  const { server, port } = await serve()
  await connected(port)
  const asked = performance.now()
  await server.stop()
  expect(performance.now() - asked).toBeLessThan(5_000)
})

test(
  'stopped by a supervisor it refuses new connections at once and answers what comes on open ones',
  patiently,
  async () => {
    const { server, port } = await serve()
    const [early, late] = [await connected(port), await connected(port)]
    expect(await ask(early)).toContain('200 OK')
    expect(await ask(late)).toMatch(/connection: keep-alive/i)
    const gone = once(server.child, 'exit')
    const asked = performance.now()
    server.child.kill('SIGTERM')
    await expect.poll(() => refused(port), { interval: 20 }).toBe(true)
    await sleep(500)
    const answer = await ask(late)
    expect(answer).toContain('200 OK')
    expect(answer).toMatch(/connection: close/i)
    expect(await gone).toEqual([0, null])
    // Unused connections are closed after three seconds; with one in use it would take eight.
    expect(performance.now() - asked).toBeLessThan(7_500)
  },
)
