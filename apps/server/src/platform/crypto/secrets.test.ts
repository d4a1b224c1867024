import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { newKey, parseKeys, seal, unseal, weakness } from './secrets.ts'

const keys = parseKeys(`1:${randomBytes(32).toString('base64')}`)

test('a sealed text opens in its seal context alone', () => {
  const sealed = seal(keys, 'here', 'secret')
  expect(unseal(keys, 'here', sealed)).toBe('secret')
  expect(() => unseal(keys, 'there', sealed)).toThrow()
})

test('one that is cut off until hardly a tag is left is refused before anything is tried', () => {
  const bytes = Buffer.from(seal(keys, 'here', '').slice('sealed:1:'.length), 'base64')
  for (let length = 0; length < bytes.length; length++) {
    const short = `sealed:1:${bytes.subarray(0, length).toString('base64')}`
    expect(() => unseal(keys, 'here', short)).toThrow('not a sealed text')
  }
})

const bytes = (make: (at: number) => number) => Buffer.from(Array.from({ length: 32 }, (_, at) => make(at)))

test.each([
  ['one byte', bytes(() => 0)],
  ['bytes that count up', bytes((at) => at)],
  ['bytes that count down over the edge', bytes((at) => 10 - at)],
  ['half a key twice', Buffer.concat(Array.from({ length: 2 }, () => bytes((at) => at * at * 7).subarray(0, 16)))],
  ['five bytes over and over', bytes((at) => [250, 3, 77, 130, 9][at % 5] ?? 0)],
  ['a sentence', Buffer.from('correct horse battery staple 123')],
  ['base64 text of random bytes', Buffer.from(randomBytes(24).toString('base64'))],
  ['a Chinese sentence', Buffer.from('虎符的密钥不要告诉别12')],
  ['a word that was filled up', Buffer.concat([Buffer.from('secret'), Buffer.alloc(26)])],
])('a key of %s is refused where it seals, and still opens what it sealed', (_, weak) => {
  expect(weak.length).toBe(32)
  const text = weak.toString('base64')
  expect(() => parseKeys(`1:${text}`)).toThrow(/^key 1 is .* use one of `hufu key` instead$/)
  const { current, byId } = parseKeys(`2:${randomBytes(32).toString('base64')},1:${text}`)
  expect([current, byId.get('1')]).toEqual(['2', weak])
})

test('a random key is never refused', () => {
  for (let drawn = 0; drawn < 100_000; drawn++) expect(weakness(randomBytes(32))).toBeUndefined()
  expect(parseKeys(newKey()).current).toBe('1')
})
