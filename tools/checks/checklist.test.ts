import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { carriedIds, countByTag, missing, parseChecklist, provedIds, unknownIds } from './checklist.ts'
import { sampleOf } from './sample.ts'
import { type Outcome, readPlaywright, readReports, readVitest } from './test-reports.ts'

const passed = (title: string): Outcome => ({ title, result: 'passed' })
const failed = (title: string): Outcome => ({ title, result: 'failed' })
const skipped = (title: string): Outcome => ({ title, result: 'skipped' })

const vitestReport = {
  testResults: [
    {
      name: '/somewhere/holds.test.ts',
      status: 'failed',
      assertionResults: [
        { ancestorTitles: ['outer', 'inner'], title: 'holds', status: 'passed' },
        { ancestorTitles: [], title: 'breaks', status: 'failed' },
        { ancestorTitles: [], title: 'waits', status: 'skipped' },
        { ancestorTitles: [], title: 'planned', status: 'todo' },
      ],
    },
  ],
}

const spec = (title: string, ...tests: [status: string, expectedStatus: string][]) => ({
  title,
  tests: tests.map(([status, expectedStatus]) => ({ status, expectedStatus })),
})

describe('reports', () => {
  test('vitest: the title path with its outcome, todo counts as skipped', () => {
    expect(readVitest(vitestReport)).toEqual([
      passed('outer inner holds'),
      failed('breaks'),
      skipped('waits'),
      skipped('planned'),
    ])
  })

  test('vitest: a file that failed before any of its tests has failed itself', () => {
    const assertionResults = [{ ancestorTitles: [], title: 'never ran', status: 'skipped' }]
    const report = { testResults: [{ name: '/somewhere/early.test.ts', status: 'failed', assertionResults }] }
    expect(readVitest(report)).toEqual([skipped('never ran'), failed('early.test.ts')])
  })

  test('playwright: one outcome a project, with the group but without the file', () => {
    const specs = [spec('holds', ['expected', 'passed'], ['unexpected', 'passed'])]
    const report = { suites: [{ title: 'a.spec.ts', specs: [], suites: [{ title: 'outer', specs }] }] }
    expect(readPlaywright(report)).toEqual([passed('outer holds'), failed('outer holds')])
  })

  test('playwright: expected to fail and passed only when tried again are failures, skipped is skipped', () => {
    const specs = [
      spec('flaky', ['flaky', 'passed']),
      spec('meant to fail', ['expected', 'failed']),
      spec('left out', ['skipped', 'skipped']),
    ]
    expect(readPlaywright({ suites: [{ title: 'a.spec.ts', specs }] })).toEqual([
      failed('flaky'),
      failed('meant to fail'),
      skipped('left out'),
    ])
  })

  test('what was said of each try that failed stands in one line, without colours', () => {
    const failureMessages = ['Error: expected 1\n    to be 2', 'another']
    const assertionResults = [{ ancestorTitles: [], title: 'breaks', status: 'failed', failureMessages }]
    const report = { testResults: [{ name: '/somewhere/a.test.ts', status: 'failed', assertionResults }] }
    expect(readVitest(report)).toEqual([{ ...failed('breaks'), why: 'Error: expected 1 to be 2' }])
    const results = [
      { errors: [{ message: '\u001b[31mtoo\u001b[39m\nlate' }] },
      { errors: [{ message: 'a'.repeat(400) }] },
      {},
    ]
    const specs = [{ title: 'breaks', tests: [{ status: 'unexpected', expectedStatus: 'passed', results }] }]
    const why = `too late | ${'a'.repeat(300)}`
    expect(readPlaywright({ suites: [{ title: 'a.spec.ts', specs }] })).toEqual([{ ...failed('breaks'), why }])
  })

  test('only files named after the two runners are read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'reports-'))
    try {
      writeFileSync(join(folder, 'vitest-cluster.json'), JSON.stringify(vitestReport))
      writeFileSync(join(folder, 'e2e.json'), JSON.stringify({ suites: [] }))
      writeFileSync(join(folder, 'bench.json'), '{}')
      const { names, outcomes } = readReports(folder)
      expect(names).toEqual(['e2e.json', 'vitest-cluster.json'])
      expect(outcomes).toHaveLength(4)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('counting', () => {
  test('an id is proved by a passed title alone', () => {
    const outcomes = [passed('S101 and D102: both'), skipped('S103 left out'), failed('S104 broken')]
    expect([...provedIds(outcomes)]).toEqual(['S101', 'D102'])
  })

  test('one failure in another report or project takes the proof away', () => {
    expect(provedIds([passed('A91 holds'), failed('A91 holds'), passed('F92 holds')])).toEqual(new Set(['F92']))
  })

  test('ids stand at word boundaries', () => {
    expect(provedIds([passed('XS101 S1012 S1 s101 S102显示')])).toEqual(new Set(['S102']))
  })

  test('a title with an id that the checklist does not know is named, passed or not', () => {
    const lines = parseChecklist('- S101 [shell] one')
    expect(unknownIds(lines, [passed('S101'), skipped('S999 later'), failed('S12')])).toEqual(['S12', 'S999'])
  })

  test('figures by tag', () => {
    const lines = parseChecklist(
      "Tests say 'S109 like this'.\n- S101 [shell] one\n- S102 [shell] two\n- A91 [attacks] b",
    )
    expect(countByTag(lines, new Set(['S102', 'S999']))).toEqual([
      { tag: 'attacks', proved: 0, all: 1 },
      { tag: 'shell', proved: 1, all: 2 },
    ])
  })

  test('statements without a passing test are named; attacks and faults have runs of their own', () => {
    const lines = parseChecklist('- S101 [shell] one\n- D102 [site] two\n- A91 [attacks] three')
    expect(missing(lines, new Set(['D102'])).map(({ id }) => id)).toEqual(['S101'])
  })

  test('a story that only waits to be run carries its ids, unless it failed last time', () => {
    const outcomes = [passed('S101 holds'), failed('S103 broken')]
    expect(carriedIds(outcomes, ['S102 a story', 'S103 broken'])).toEqual(new Set(['S101', 'S102']))
  })
})

test('a sample is the same for a commit, another for another, and holds statements alone', () => {
  const ids = Array.from({ length: 60 }, (_, index) => `${index % 3 ? 'S' : 'A'}${index + (index % 3 ? 100 : 10)}`)
  const lines = parseChecklist(ids.map((id) => `- ${id} [shell] x`).join('\n'))
  const first = sampleOf(lines, 'one').map(({ id }) => id)
  expect(sampleOf(lines, 'one').map(({ id }) => id)).toEqual(first)
  expect(sampleOf(lines, 'two').map(({ id }) => id)).not.toEqual(first)
  expect(first).toHaveLength(20)
  expect(first.every((id) => id.startsWith('S'))).toBe(true)
})
