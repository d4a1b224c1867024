import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Mutant, plant, verdict } from './mutant.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const mutants: Mutant[] = JSON.parse(read('tools/mutants/mutants.json'))

test('every mutant fits the source, and no id stands twice', () => {
  for (const mutant of mutants) expect(plant(mutant, read(mutant.file)), mutant.id).not.toBe(read(mutant.file))
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
})

test('a text that is missing or stands twice is planted nowhere', () => {
  const mutant = { id: 'X', find: 'a < b', replace: 'a <= b', file: 'x.ts' } as Mutant
  expect(plant(mutant, 'if (a < b)')).toBe('if (a <= b)')
  expect(() => plant(mutant, 'a > b')).toThrow('X: the text to replace occurs 0 times in x.ts')
  expect(() => plant(mutant, 'a < b, a < b')).toThrow('occurs 2 times')
})

test.each([
  ['killed', ['passed', 'failed']],
  ['survived', ['passed', 'skipped']],
  ['not run', ['skipped']],
  ['not run', []],
])('a mutant is %s where its tests are %j', (expected, results) => {
  const outcomes = results.map((result) => ({ title: `some rule in case ${result}`, result }))
  expect(verdict([...outcomes, { title: 'another rule', result: 'failed' }], 'some rule')).toBe(expected)
})
