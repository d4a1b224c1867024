import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, inject, test } from 'vitest'
import { ready, runHufu } from '../../../tools/run/product.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { createDatabase, testKeys } from './test-app.ts'

test('a process that is told to stop waits for no connection that never asked anything', async () => {
  const port = await freePort()
  const server = runHufu('serve', {
    HUFU_DATABASE_URL: await createDatabase(),
    HUFU_REDIS_URL: inject('redisUrl'),
    HUFU_KEYS: testKeys(),
    HUFU_PORT: String(port),
    HUFU_LOG_LEVEL: 'warn',
  })
  await ready(`http://127.0.0.1:${port}`, server)
  const spare = connect(port, '127.0.0.1')
  await once(spare, 'connect')
  spare.on('error', () => {})
  const asked = performance.now()
  await server.stop()
  expect(performance.now() - asked).toBeLessThan(5_000)
  spare.destroy()
})
