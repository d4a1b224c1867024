import { expect, test } from 'vitest'
import { addedLines, changeCount, changedParts, type DiffLine, diffLines } from './line-diff.ts'

const lines = (text: string) => text.split('')
const told = (diff: DiffLine[]) => diff.map(({ kind, text }) => ({ same: '', added: '+', removed: '-' })[kind] + text)
const sideOf = (diff: DiffLine[], kind: DiffLine['kind']) =>
  diff.filter((each) => each.kind === 'same' || each.kind === kind).map(({ text }) => text)

test('lines that stay, go and come', () => {
  expect(told(diffLines(lines('abcd'), lines('axcde')))).toEqual(['a', '-b', '+x', 'c', 'd', '+e'])
  expect(told(diffLines([], lines('ab')))).toEqual(['+a', '+b'])
  expect(told(diffLines(lines('ab'), []))).toEqual(['-a', '-b'])
  expect(diffLines(lines('abc'), lines('abc')).every(({ kind }) => kind === 'same')).toBe(true)
})

test('both sides can be read from a diff, whatever they are', () => {
  for (let at = 0; at < 500; at++) {
    const text = (salt: number) => Array.from({ length: (at * salt) % 13 }, (_, n) => String((n * salt * at) % 4))
    const [before, after] = [text(7), text(11)]
    const diff = diffLines(before, after)
    expect(sideOf(diff, 'removed')).toEqual(before)
    expect(sideOf(diff, 'added')).toEqual(after)
  }
})

test('neighbouring changes are one place', () => {
  const diff = diffLines(lines('abcdef'), lines('aXYdeZ'))
  expect(changeCount(diff)).toBe(2)
  expect(addedLines(diff)).toEqual([2, 3, 6])
  expect(changeCount(diffLines(lines('ab'), lines('ab')))).toBe(0)
})

test('of a long text only what is near a change is shown', () => {
  const before = Array.from({ length: 100 }, (_, at) => `${at}`)
  const after = before.map((text) => ({ 20: 'x', 80: 'y' })[text] ?? text)
  const parts = changedParts(diffLines(before, after), 2)
  expect(parts.map(told)).toEqual([
    ['18', '19', '-20', '+x', '21', '22'],
    ['78', '79', '-80', '+y', '81', '82'],
  ])
})

test('thousands of lines that have nothing in common are replaced as a whole, quickly', () => {
  // So many that only work in proportion to their number ends before the test is given up.
  const many = (letter: string) => Array.from({ length: 300_000 }, (_, at) => `${letter}${at}`)
  expect(changeCount(diffLines(many('a'), many('b')))).toBe(1)
})
