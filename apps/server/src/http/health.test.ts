import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp, times } from '../../test/test-app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

test('D128 however often readiness is asked, the database is asked once a second', async () => {
  const asked = vi.spyOn(t.deps.pool, 'query')
  const from = performance.now()
  const answers = await Promise.all(times(200, () => t.app.inject('/readyz')))
  const looks = asked.mock.calls.filter(([query]) => String(query) === 'SELECT 1').length
  asked.mockRestore()
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(times(200, () => 200))
  expect(answers[0]?.json()).toEqual({ status: 'ready', database: 'up' })
  expect(looks).toBeGreaterThan(0)
  expect(looks).toBeLessThanOrEqual(1 + (performance.now() - from) / 1_000)
})
