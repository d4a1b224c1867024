import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { mergeJson } from './merge-json.ts'

const key = fc.constantFrom('a', 'b', 'toString', 'constructor', '__proto__', '1')
const { json } = fc.letrec<{ json: Record<string, unknown>; value: unknown }>((tie) => ({
  json: fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom<unknown>(null, 0, 1, 'x', [], ['x'], false), tie('json')),
}))
const three = fc.record({ base: json, theirs: json, mine: json })

/** Read anew, as from a text: an own __proto__ is a key like any other. */
const plain = (value: unknown) => JSON.stringify(value)

fuzz('merge', 'where one of two changed nothing, the other stands', three, ({ base, theirs, mine }) => {
  quick(plain([base, theirs, mine]).length, () => mergeJson(base, theirs, mine))
  expect(plain(mergeJson(base, theirs, base))).toBe(plain(theirs))
  expect(sorted(mergeJson(base, base, mine))).toBe(sorted(mine))
  expect(sorted(mergeJson(base, mine, mine))).toBe(sorted(mine))
})

fuzz('merge', 'nothing comes from a prototype, and none is changed', three, ({ base, theirs, mine }) => {
  const merged = mergeJson(base, theirs, mine)
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  for (const name of Object.keys(merged)) expect([...Object.keys(theirs), ...Object.keys(mine)]).toContain(name)
  for (const name of Object.keys(mine)) {
    const isMine = !Object.hasOwn(base, name) || plain(base[name]) !== plain(mine[name])
    if (isMine) expect(Object.hasOwn(merged, name)).toBe(true)
  }
})

/** The order of keys may come from either side. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
