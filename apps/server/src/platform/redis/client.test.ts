import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, times } from '../../../test/test-app.ts'
import { sharedDeadline } from './client.ts'

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
