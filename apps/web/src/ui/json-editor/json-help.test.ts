import { CompletionContext } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { expect, test } from 'vitest'
import { completeJson } from './json-completion.ts'
import { changeTo, faultPosition } from './json-marks.ts'
import { type JsonSchema, sentenceAt } from './json-schema.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: '名称' },
    registration: { enum: ['open', 'closed'], description: '注册' },
    theme: { type: 'object', properties: { primary: { type: 'string' }, dark: { type: 'boolean' } } },
    methods: { type: 'array', items: { type: 'string', examples: ['mobile', 'wechat'] } },
    regions: {
      type: 'array',
      items: { anyOf: [{ type: 'string' }, { type: 'object', properties: { key: { description: '代码' } } }] },
    },
    files: { type: 'object', additionalProperties: { type: 'string', description: '内容' } },
  },
}

const stateOf = (doc: string) => EditorState.create({ doc, extensions: [json()] })

/** What is offered where the bar stands. */
function offered(text: string, explicit = true): string[] {
  const pos = text.indexOf('|')
  const state = stateOf(text.replace('|', ''))
  const result = completeJson(schema)(new CompletionContext(state, pos, explicit))
  return result?.options.map(({ displayLabel = '' }) => displayLabel) ?? []
}

test('keys are offered where a key stands, without those that are there', () => {
  expect(offered('{"|"}')).toEqual(['name', 'registration', 'theme', 'methods', 'regions', 'files'])
  expect(offered('{"name": "x", "|"}')).toEqual(['registration', 'theme', 'methods', 'regions', 'files'])
  expect(offered('{"name": "x", "na|"}')).not.toContain('name')
  expect(offered('{"theme": {"pri|"}}')).toEqual(['primary', 'dark'])
  expect(offered('{"theme": { | }}')).toEqual(['primary', 'dark'])
  expect(offered('{"regions": [{"|"}]}')).toEqual(['key'])
})

test('values are offered where a value stands', () => {
  expect(offered('{"registration": "|"}')).toEqual(['open', 'closed'])
  expect(offered('{"registration": |}')).toEqual(['open', 'closed'])
  expect(offered('{"theme": {"dark": |}}')).toEqual(['true', 'false'])
  expect(offered('{"methods": ["|"]}')).toEqual(['mobile', 'wechat'])
  expect(offered('{"methods": ["mobile", |]}')).toEqual(['mobile', 'wechat'])
})

test('nothing is offered unasked where nothing is typed, nor where nothing is known', () => {
  expect(offered('{ | }', false)).toEqual([])
  expect(offered('{"name": "|"}')).toEqual([])
  expect(offered('{"unknown": {"|"}}')).toEqual([])
})

test('the sentence of a place', () => {
  expect(sentenceAt(schema, ['registration'])).toBe('注册')
  expect(sentenceAt(schema, ['regions', 3, 'key'])).toBe('代码')
  expect(sentenceAt(schema, ['files', 'a.txt'])).toBe('内容')
  expect(sentenceAt(schema, ['toString'])).toBeUndefined()
})

const text = '{\n  "name": "x",\n  "theme": {\n    "primary": "blue"\n  },\n  "list": [1, {"a": 2}]\n}'
const at = (path: (string | number)[]) => {
  const { from, to } = faultPosition(stateOf(text), { path, message: '' })
  return text.slice(from, to)
}

test('a fault is marked at its value, at its key where that is an object, or where it is missing', () => {
  expect(at(['theme', 'primary'])).toBe('"blue"')
  expect(at(['theme'])).toBe('"theme"')
  expect(at(['theme', 'version'])).toBe('"theme"')
  expect(at(['list', 0])).toBe('1')
  expect(at(['list', 1, 'a'])).toBe('2')
  expect(at(['list', 7])).toBe('"list"')
  expect(at([])).toBe('{')
  expect(faultPosition(stateOf('12'), { at: 99, message: '' })).toEqual({ from: 2, to: 2 })
})

test('only what differs is replaced', () => {
  const { doc } = stateOf('abcdef')
  expect(changeTo(doc, 'abXYef')).toEqual({ from: 2, to: 4, insert: 'XY' })
  expect(changeTo(doc, 'abcdefg')).toEqual({ from: 6, to: 6, insert: 'g' })
  expect(changeTo(stateOf('aaa').doc, 'aa')).toEqual({ from: 2, to: 3, insert: '' })
})
