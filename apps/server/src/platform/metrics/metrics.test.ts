import { expect, test, vi } from 'vitest'
import { atMostEvery, counter, exposition, gauge, histogram } from './metrics.ts'

test('counts and levels are written with their labels, quotes and all', async () => {
  const counts = counter('test_counts_total', 'Of this test.')
  counts.add({ kind: 'a "b"\\\n' })
  const kept = counts.of({ kind: 'c' })
  kept.value += 2
  counts.add({ kind: 'c' })
  gauge('test_level', 'Up and down.').value = -1.5
  const text = await exposition([])
  expect(text).toContain(
    '# HELP test_counts_total Of this test.\n# TYPE test_counts_total counter\ntest_counts_total{kind="a \\"b\\"\\\\\\n"} 1\ntest_counts_total{kind="c"} 3\n',
  )
  expect(text).toContain('# TYPE test_level gauge\ntest_level -1.5\n')
})

test('times fall into buckets that count everything below', async () => {
  const times = histogram('test_seconds', 'Of this test.').of({ route: '/a' })
  for (const seconds of [0.005, 0.0051, 0.3, 60]) times.observe(seconds)
  const text = await exposition([])
  const bucket = (bound: string) =>
    Number(new RegExp(`test_seconds_bucket{route="/a",le="${bound}"} (.+)`).exec(text)?.[1])
  expect(['0.005', '0.01', '0.25', '0.5', '5', '\\+Inf'].map(bucket)).toEqual([1, 2, 2, 3, 3, 4])
  expect(text).toContain('test_seconds_count{route="/a"} 4\n')
  expect(text).toMatch(/test_seconds_sum\{route="\/a"\} 60\.31/)
})

test('a gauge that fails is missing alone', async () => {
  const text = await exposition([
    { name: 'test_broken', help: 'Fails.', read: () => Promise.reject(new Error('away')) },
    {
      name: 'test_thrown',
      help: 'Throws.',
      read: () => {
        throw new Error('away')
      },
    },
    { name: 'test_whole', help: 'Works.', read: () => [{ value: 7 }] },
  ])
  expect(text).toContain('test_whole 7\n')
  expect(text).not.toMatch(/test_broken|test_thrown/)
})

test('two metrics of one name are a mistake', () => {
  counter('test_twice_total', 'Once.')
  expect(() => counter('test_twice_total', 'Twice.')).toThrow('test_twice_total')
})

test('one read answers all scrapes within its time', async () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  let looks = 0
  const look = atMostEvery(30, async () => ++looks)
  expect([await look(), await look()]).toEqual([1, 1])
  now += 31
  expect(await look()).toBe(2)
  clock.mockRestore()
})
