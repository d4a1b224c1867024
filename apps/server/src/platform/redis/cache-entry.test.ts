import { expect, test } from 'vitest'
import { testKeys } from '../../../test/test-app.ts'
import { parseKeys } from '../crypto/secrets.ts'
import { signEntry, verifyEntry } from './cache-entry.ts'

const [first, second] = [testKeys(1), testKeys(2)]
const keys = parseKeys(first)
const name = '{site:user}:u2'
const body = '{"state":{"permission":{}}}'

test('D101 what was signed under a name is read under that name alone', () => {
  const text = signEntry(keys, name, body)
  expect(verifyEntry(keys, name, text)).toBe(body)
  for (const other of ['{site:user}:u', '{site:other}:u2', `${name}\n`, ''])
    expect(verifyEntry(keys, other, text), other).toBe('forged')
})

test('D101 a changed, missing or truncated HMAC or text is forged', () => {
  const text = signEntry(keys, name, body)
  const [id = '', mac = ''] = text.split('.')
  const wrong = [
    body,
    '',
    '-',
    `${mac}.${body}`,
    `${id}..${body}`,
    `${id}.${mac}.`,
    `${id}.${mac.slice(1)}.${body}`,
    `${id}.${'A'.repeat(43)}.${body}`,
    `${id}.${mac}.${body} `,
    text.replace('{}', '{"MERCHANT":["ADMIN"]}'),
    text.slice(0, -1),
    ` ${text}`,
  ]
  for (const one of wrong) expect(verifyEntry(keys, name, one), one).toBe('forged')
})

test('D102 an entry of any key that is still listed counts; one of a key that is not is a miss, and no forgery', () => {
  const old = signEntry(keys, name, body)
  const rotated = parseKeys(`${second},${first}`)
  expect(verifyEntry(rotated, name, old)).toBe(body)
  const newer = signEntry(rotated, name, body)
  expect(newer).toMatch(/^2\./)
  expect(verifyEntry(rotated, name, newer)).toBe(body)
  expect(verifyEntry(keys, name, newer)).toBeUndefined()
  expect(verifyEntry(parseKeys(second), name, old)).toBeUndefined()
  // The number of a key says nothing: another key under the same one makes another signature.
  expect(verifyEntry(parseKeys(testKeys(1)), name, old)).toBe('forged')
  expect(verifyEntry(rotated, name, newer.replace(/^2/, '1'))).toBe('forged')
})
