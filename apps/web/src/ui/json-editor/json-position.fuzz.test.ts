// @vitest-environment happy-dom
import { json } from '@codemirror/lang-json'
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { changeTo } from './json-marks.ts'
import { type Path, pathTo, positionOf } from './json-position.ts'

const key = fc
  .oneof(fc.constantFrom('a', 'b', 'name', '"', '\\', 'é'), fc.string({ maxLength: 3 }))
  .filter((text) => text !== '__proto__')
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(1, 'x', null, true, ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))

/** The ways to everything in a value. */
function waysIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [[]]
  const inner = Object.entries(value).map(([name, each]) => ({
    step: Array.isArray(value) ? Number(name) : name,
    each,
  }))
  return [[], ...inner.flatMap(({ step, each }) => waysIn(each).map((way) => [step, ...way]))]
}

const stateOf = (doc: string) => EditorState.create({ doc, extensions: json() })

fuzz('json-place', 'each value of a text is found where it stands, and its way is found from there', value, (data) => {
  const text = JSON.stringify(data, null, 2)
  const state = stateOf(text)
  const tree = ensureSyntaxTree(state, text.length, 5_000)
  if (!tree) throw new Error('no tree')
  const read = ({ from, to }: { from: number; to: number }) => text.slice(from, to)
  for (const way of waysIn(data).filter(({ length }) => length > 0)) {
    const { from, to } = quick(text.length, () => positionOf(tree, read, way))
    const there = way.reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], data)
    if (typeof there !== 'object' || there === null) expect(JSON.parse(text.slice(from, to))).toEqual(there)
    expect(pathTo(tree.resolveInner(from, 1), read)).toEqual(way)
  }
})

const broken = fc.oneof(changed(value.map((data) => JSON.stringify(data))), nastyText)

fuzz('json-broken', 'in a broken text a place is still one of the text', broken, (doc) => {
  const state = stateOf(doc)
  const text = state.doc.toString()
  const tree = ensureSyntaxTree(state, text.length, 5_000)
  if (!tree) throw new Error('no tree')
  const read = ({ from, to }: { from: number; to: number }) => state.sliceDoc(from, to)
  for (const way of [[], ['a'], [0], ['a', 0, 'b']]) {
    const { from, to } = positionOf(tree, read, way)
    expect(from).toBeGreaterThanOrEqual(0)
    expect(to).toBeGreaterThanOrEqual(from)
    expect(from).toBeLessThanOrEqual(text.length)
  }
})

const pairs = fc.record({ before: fc.oneof(nastyText, longText), after: fc.oneof(nastyText, longText) })

fuzz('change', 'a change turns one text into the other', pairs, ({ before, after }) => {
  const state = stateOf(before)
  const wanted = stateOf(after).doc.toString()
  const change = quick(before.length + after.length, () => changeTo(state.doc, wanted))
  expect(state.update({ changes: change }).state.doc.toString()).toBe(wanted)
})
