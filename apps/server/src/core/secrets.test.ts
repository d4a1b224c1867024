import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseKeys, seal, unseal } from './secrets.ts'

const keys = parseKeys(`1:${randomBytes(32).toString('base64')}`)

test('a sealed text opens in its place alone', () => {
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
