import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz } from '../../../../../tools/fuzz/fuzz.ts'
import { addedLines, changeCount, changedParts, diffLines } from './line-diff.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '{', '}', 'same'), { maxLength: 30 })
const pairs = fc.record({ before: lines, after: lines })

/** How many lines two texts have in common, in order: by trying every way, remembered. */
function common(a: string[], b: string[]): number {
  const known = new Map<string, number>()
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return 0
    const name = `${i},${j}`
    const found = known.get(name) ?? (a[i] === b[j] ? 1 + from(i + 1, j + 1) : Math.max(from(i + 1, j), from(i, j + 1)))
    known.set(name, found)
    return found
  }
  return from(0, 0)
}

fuzz('diff', 'a difference leads from one text to the other, by as few lines as can be', pairs, ({ before, after }) => {
  const diff = diffLines(before, after)
  const side = (left: string) => diff.filter(({ kind }) => kind !== left).map(({ text }) => text)
  expect(side('added')).toEqual(before)
  expect(side('removed')).toEqual(after)
  expect(diff.filter(({ kind }) => kind === 'same')).toHaveLength(common(before, after))
})

fuzz('diff', 'every change is counted, numbered and shown', pairs, ({ before, after }) => {
  const diff = diffLines(before, after)
  const added = diff.filter(({ kind }) => kind === 'added').map(({ text }) => text)
  expect(addedLines(diff).map((number) => after[number - 1])).toEqual(added)
  expect(changeCount(diff) > 0).toBe(diff.some(({ kind }) => kind !== 'same'))
  const shown = changedParts(diff, 1).flat()
  expect(shown.filter(({ kind }) => kind !== 'same')).toEqual(diff.filter(({ kind }) => kind !== 'same'))
})
