import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { times } from '../../test/test-app.ts'
import { AppError } from './app-error.ts'
import { startLater } from './later.ts'
import { createLog } from './log.ts'

const quiet = createLog({ logLevel: 'silent' })

test('what is left for later begins at moments spread over half a second, none with the answer', async () => {
  const later = startLater(quiet)
  const started = performance.now()
  const moments: number[] = []
  for (const _ of times(200, () => 0)) later.soon(async () => void moments.push(performance.now() - started))
  expect(moments).toEqual([])
  await expect.poll(() => moments.length, { timeout: 5_000 }).toBe(200)
  const early = moments.filter((moment) => moment < 250).length
  expect(early).toBeGreaterThan(40)
  expect(early).toBeLessThan(160)
})

test('a process that ends does first what still waits, and waits for what has begun', async () => {
  const later = startLater(quiet)
  let done = 0
  for (const _ of times(20, () => 0))
    later.soon(async () => {
      await sleep(50)
      done++
    })
  await sleep(250)
  await later.flush()
  expect(done).toBe(20)
  await sleep(600)
  expect(done).toBe(20)
})

test('a failure is told in the log and goes no further; a refusal is noted elsewhere', async () => {
  const lines: string[] = []
  const later = startLater(createLog({ logLevel: 'warn' }, { write: (line) => void lines.push(line) }))
  later.soon(async () => {
    throw new Error('the store is away')
  })
  later.soon(async () => {
    throw new AppError('CODE_SEND_FAILED')
  })
  await later.flush()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the store is away')
})
