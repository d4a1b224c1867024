import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { RedisConnector } from './connector.ts'

test('a socket that fails twice, by our verdict and by the peer’s alert, ends no process', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const connector = new RedisConnector({ host: '127.0.0.1', port })
  const socket = await connector.connect()
  socket.emit('error', new Error('unable to verify the certificate'))
  expect(() => socket.emit('error', new Error('alert decode error'))).not.toThrow()
  expect(connector.firstError?.message).toBe('unable to verify the certificate')
  connector.disconnect()
  await expect(once(socket, 'close')).resolves.toBeDefined()
  server.close()
})

test('a connection that was given up before it began is refused', async () => {
  const connector = new RedisConnector({ host: '127.0.0.1', port: 1 })
  const socket = connector.connect()
  connector.disconnect()
  await expect(socket).rejects.toThrow('Connection is closed.')
})
