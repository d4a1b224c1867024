import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { holds } from '../../verify/harness/figures.ts'
import { figuresTable, idsOf, lossLanes, outcomesOf, type ReportedFigure, readFigures } from './figures-table.ts'

function reported(id: string, value: number): ReportedFigure {
  const figure = { name: 'lost', value, limit: ['<=', 0] as ReportedFigure['limit'] }
  return { ...figure, id, held: holds(figure), test: `${id} some rule` }
}

test('the table names every id, and what failed, was not run or reported nothing is not proved', () => {
  const outcomes = new Map([
    ['A01', true],
    ['A02', true],
    ['A03', false],
    ['A04', true],
  ])
  const figures = [reported('A01', 0), reported('A02', 3), reported('A03', 0)]
  const { lines, unproved } = figuresTable(['A01', 'A02', 'A03', 'A04', 'A05'], figures, outcomes)
  expect(unproved).toEqual(['A02', 'A03', 'A04', 'A05'])
  expect(lines).toEqual([
    'A01  ok    lost: 0  (<= 0)',
    'A02  FAIL  lost: 3  (<= 0)',
    'A03  ok    lost: 0  (<= 0)',
    'A04  ----  no figure was reported',
    'A05  ----  no figure was reported',
  ])
})

test('a figure that was never reached stays infinite in the report and is not held', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hufu-figures-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'figures.jsonl')
  writeFileSync(file, `${JSON.stringify(reported('F01', Number.POSITIVE_INFINITY))}\n`)
  const { lines, unproved } = figuresTable(['F01'], readFigures(file), new Map([['F01', true]]))
  expect(unproved).toEqual(['F01'])
  expect(lines).toEqual(['F01  FAIL  lost: Infinity  (<= 0)'])
})

test('an id has failed where one of its tests has, and a skipped test says nothing', () => {
  const results = (...statuses: string[]) => statuses.map((status) => ({ fullName: `F01 ${status}`, status }))
  const outcomes = (...statuses: string[]) =>
    outcomesOf({ testResults: [{ name: 'f01', assertionResults: results(...statuses) }] }).get('F01')
  expect(outcomes('passed', 'skipped')).toBe(true)
  expect(outcomes('passed', 'failed')).toBe(false)
  expect(outcomes('skipped')).toBe(undefined)
})

test('the lanes of faults that count losses name each of them once', () => {
  const ids = lossLanes.flat()
  expect(new Set(ids).size).toBe(ids.length)
  expect(idsOf.faults).toEqual(expect.arrayContaining(ids))
})
