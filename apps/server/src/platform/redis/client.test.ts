import { Cluster } from 'ioredis'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { startTestApp, type TestApp, times } from '../../../test/test-app.ts'
import { connectRedis, redisReady, sharedDeadline } from './client.ts'

let t: TestApp
beforeEach(async () => {
  t = await startTestApp()
})
afterEach(() => t.close())

test('an answer that came while the process stood still is in time', async () => {
  const { cache } = t.deps
  const deadline = sharedDeadline(80)
  // A cluster opens a connection when it is first asked.
  await Promise.all(times(20, (index) => cache.get(`{pause}:${index}`)))
  const asked = times(20, (index) => Promise.race([cache.get(`{pause}:${index}`), deadline()]))
  // Sent, and then stopped before the answers can be read.
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  expect(await Promise.all(asked)).toEqual(times(20, () => null))
})

test('who says nothing is given up', async () => {
  const deadline = sharedDeadline(80)
  await expect(Promise.race([new Promise(() => {}), deadline()])).rejects.toThrow('Command timed out')
})

test('a refresh of the slots that ends after the client was closed starts no further one', async () => {
  const client = connectRedis(inject('redisClusterUrl'), { timeoutMs: 1_000 }, () => {}) as Cluster
  await redisReady(client)
  let [ended, goesOn] = [false, false]
  client.refreshSlotsCache(() => {
    goesOn = true
  })
  // As the library would call it, for the end of the same refresh.
  Cluster.prototype.refreshSlotsCache.call(client, () => {
    ended = true
  })
  client.disconnect()
  await expect.poll(() => ended).toBe(true)
  expect(goesOn).toBe(false)
})
