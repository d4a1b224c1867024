import { expect, test } from 'vitest'
import { mergeJson } from './merge-json.ts'

const base = { name: '甲', theme: { primary: '#111111', corner: 1 }, methods: ['mobile'], icp: 'x' }

test('what each of two people changed is there, at every depth', () => {
  const theirs = { ...base, theme: { primary: '#222222', corner: 1 }, police: 'y' }
  const mine = { ...base, name: '乙', theme: { primary: '#111111', corner: 2 } }
  expect(mergeJson(base, theirs, mine)).toEqual({
    ...base,
    name: '乙',
    theme: { primary: '#222222', corner: 2 },
    police: 'y',
  })
})

test('where both changed the same thing mine stands, lists as a whole', () => {
  const theirs = { ...base, name: '丙', methods: ['mobile', 'password'] }
  const mine = { ...base, name: '乙', methods: ['wechat'] }
  expect(mergeJson(base, theirs, mine)).toEqual({ ...base, name: '乙', methods: ['wechat'] })
})

test('what one of them took away stays away, unless the other changed it', () => {
  const { icp, ...without } = base
  expect(mergeJson(base, { ...base, name: '丙' }, without)).toEqual({ ...without, name: '丙' })
  expect(mergeJson(base, without, { ...base, name: '乙' })).toEqual({ ...without, name: '乙' })
  expect(mergeJson(base, without, { ...base, icp: 'z' })).toEqual({ ...base, icp: 'z' })
})

test('a name that every object has is a key like any other', () => {
  const proto = JSON.parse('{"__proto__":{"a":1},"toString":"x"}')
  expect(JSON.stringify(mergeJson({}, proto, { b: 2 }))).toBe('{"__proto__":{"a":1},"toString":"x","b":2}')
  expect(mergeJson(proto, proto, {})).toEqual({})
})
