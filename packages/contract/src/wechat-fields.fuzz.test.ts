import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../tools/fuzz/nasty.ts'
import { doubtAbout, fieldsIn, fillIn } from './wechat-fields.ts'

const sample = fc.constantFrom(
  '姓名：{{name1.DATA}}\n时间：{{time2.DATA}}',
  '{{first.DATA}}{{first.DATA}}',
  '{{{{a.DATA}}}}',
  '{{__proto__.DATA}}',
)
const contents = fc.oneof(changed(sample), longText, nastyText)

fuzz('template', 'a template without values stays as it is', contents, (content) => {
  expect(quick(content.length, () => fillIn(content, {}))).toBe(content)
})

/** The same, read from left to right by hand. */
function plainFields(content: string): string[] {
  const parts = content.split('.DATA}}').slice(0, -1)
  const names = parts.flatMap((part) => /\{\{([A-Za-z0-9_]+)$/.exec(part)?.[1] ?? [])
  return [...new Set(names)]
}

fuzz('template', 'a plain reading finds the same fields', contents, (content) => {
  expect(quick(content.length, () => fieldsIn(content))).toEqual(plainFields(content))
})

const filled = fc.record({ content: changed(sample), value: nastyText })

fuzz(
  'template-filled',
  'a value stands in its places letter by letter, and is not read as a template',
  filled,
  ({ content, value }) => {
    const names = fieldsIn(content)
    const values = Object.fromEntries(names.map((name) => [name, value]))
    const pieces = content.split(/(\{\{\w+\.DATA\}\})/)
    const wanted = pieces.map((piece, at) => (at % 2 === 1 && value) || piece)
    expect(fillIn(content, values)).toBe(wanted.join(''))
  },
)

const kinds = [
  'thing',
  'character_string',
  'phrase',
  'name',
  'number',
  'phone_number',
  'letter',
  'symbol',
  'time',
  'date',
  'amount',
]
const judged = fc.record({
  field: fc.oneof(
    fc.constantFrom(...kinds, 'car_number', 'const', 'constructor', '__proto__').map((kind) => `${kind}1`),
    nastyText,
  ),
  value: fc.oneof(
    nastyText,
    longText,
    changed(fc.constantFrom('2026年11月15日 15:01', '15:01~16:00', '¥99.50元', '粤B12345')),
  ),
})

fuzz('template-value', 'a value is judged at once, whatever it is', judged, ({ field, value }) => {
  expect([undefined, 'bad', 'unsure']).toContain(quick(value.length + field.length, () => doubtAbout(field, value)))
  expect(doubtAbout(field, '')).toBeUndefined()
})
