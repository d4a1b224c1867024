import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { jsonFault } from './json-fault.ts'

const written = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.constantFrom(0, 2))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent))
const signs = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\ \n-+.eE01tfnu'), maxLength: 30 })
/** Brackets deep and wide, in one line and in many. */
const brackets = fc
  .tuple(fc.constantFrom('[', '{"a":', '[\n', '{"a": [\n  '), fc.integer({ min: 1, max: 3_000 }), fc.boolean())
  .map(
    ([open, depth, close]) =>
      open.repeat(depth) +
      (close
        ? `1${[...open].reverse().join('').replace(/[^[{]/g, '').replaceAll('[', ']').replaceAll('{', '}').repeat(depth)}`
        : ''),
  )
const texts = fc.oneof(
  written,
  changed(written),
  signs,
  brackets,
  nastyText,
  longText,
  longText.map((text) => JSON.stringify({ a: text })),
)

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

fuzz('json', 'a text is JSON to us exactly where it is to the browser; a fault has a place in it', texts, (text) => {
  const fault = quick(text.length, () => jsonFault(text))
  expect(fault === undefined).toBe(isJson(text))
  if (!fault) return
  expect(fault.at).toBeGreaterThanOrEqual(0)
  expect(fault.at).toBeLessThanOrEqual(Math.max(0, text.length - 1))
  expect(fault.message).not.toMatch(/undefined/)
})
