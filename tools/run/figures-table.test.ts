import { expect, test } from 'vitest'
import { figuresTable, outcomesOf, replaced, type Told, worthAnotherTry } from './figures-table.ts'

const told = (id: string, value: number): Told => ({ test: `${id} some rule`, name: 'lost', value, limit: ['=', 0] })

test('the table names every id, and what failed, was not run or told nothing is not proved', () => {
  const outcomes = new Map([
    ['A01', true],
    ['A02', true],
    ['A03', false],
    ['A04', true],
  ])
  const figures = [told('A01', 0), told('A02', 3), told('A03', 0)]
  const { lines, unproved } = figuresTable(['A01', 'A02', 'A03', 'A04', 'A05'], figures, outcomes)
  expect(unproved).toEqual(['A02', 'A03', 'A04', 'A05'])
  expect(lines).toEqual([
    'A01  ok    lost: 0  (= 0)',
    'A02  FAIL  lost: 3  (= 0)',
    'A03  ok    lost: 0  (= 0)',
    'A04  ----  no figure was told',
    'A05  ----  no figure was told',
  ])
})

test('only speed under load is measured anew, where nothing else failed or nothing began', () => {
  const missed = 'AssertionError: all well again after: 7 s, must be <= 5: expected false to be true'
  const failed = (id: string, ...failureMessages: string[]) => ({
    name: id,
    assertionResults: [{ fullName: `${id} some rule`, status: 'failed', failureMessages }],
  })
  const testResults = [
    failed('F02', missed),
    failed('F06', missed, 'AssertionError: messages sent twice: 1, must be = 0: expected false to be true'),
    failed('F11', missed),
    failed('F12', missed, 'AssertionError: expected 1 to be 0'),
    failed('F13'),
    { name: 'F14', assertionResults: [{ fullName: 'F14 some rule', status: 'skipped' }] },
    { name: 'F15', assertionResults: [{ fullName: 'F15 some rule', status: 'passed' }] },
  ]
  expect(worthAnotherTry(['F01', 'F02', 'F06', 'F11', 'F12', 'F13', 'F14', 'F15'], { testResults })).toEqual([
    'F11',
    'F14',
  ])
})

test('what was measured anew stands for the first try of its id alone', () => {
  const report = (f11: string) => ({
    testResults: [
      { name: 'f11', status: f11, assertionResults: [{ fullName: 'F11 some rule', status: f11 }] },
      { name: 'f12', status: 'failed', assertionResults: [{ fullName: 'F12 some rule', status: 'failed' }] },
    ],
  })
  const first = { told: [told('F11', 3), told('F12', 3)], report: report('failed') }
  const both = replaced(first, ['F11'], { told: [told('F11', 0)], report: report('passed') })
  expect([...outcomesOf(both.report)]).toEqual([
    ['F11', true],
    ['F12', false],
  ])
  expect(both.report.testResults.map((file) => 'status' in file && file.status)).toEqual(['passed', 'failed'])
  expect(both.told).toEqual([told('F12', 3), told('F11', 0)])
})
