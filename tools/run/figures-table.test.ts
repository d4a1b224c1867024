import { expect, test } from 'vitest'
import { figuresTable, type Told } from './figures-table.ts'

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
