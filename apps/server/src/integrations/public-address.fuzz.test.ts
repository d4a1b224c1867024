import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../tools/fuzz/nasty.ts'
import { isPublicAddress } from './public-address.ts'

const v4 = fc.oneof(
  fc.ipV4(),
  fc.constantFrom(
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '100.64.0.1',
    '168.63.129.16',
    '224.0.0.1',
  ),
)
/** IPv4 inside IPv6, in all the ways that a system may take it out again. */
const inside = fc
  .tuple(fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:', '64:ff9b:1::'), v4)
  .map((parts) => parts.join(''))
const address = fc.oneof(v4, fc.ipV6(), inside, changed(fc.ipV6()), nastyText, longText)

/** By numeric comparison. */
function plainV4(text: string): boolean {
  const [a = 0, b = 0, c = 0] = text.split('.').map(Number)
  const inner =
    [0, 10, 127].includes(a) ||
    a >= 224 ||
    (a === 100 && b >= 64 && b < 128) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b < 32) ||
    (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) ||
    (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) ||
    (a === 203 && b === 0 && c === 113) ||
    text === '168.63.129.16'
  return !inner
}

fuzz('public', 'an address is public only where it is given out, and never by another spelling', address, (text) => {
  const found = quick(text.length, () => isPublicAddress(text))
  const family = isIP(text)
  if (family === 0) expect(found).toBe(false)
  if (family === 4) expect(found).toBe(plainV4(text))
  if (family !== 6) return
  const bare = text.replace(/%.*$/s, '')
  const spelled = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  if (found) expect(spelled).toMatch(/^[23][0-9a-f]{3}:/)
  if (found) expect(spelled).not.toMatch(/^(2002|2001:db8|2001:0?|2001:1?[0-9a-f]{0,2}):/)
  expect(isPublicAddress(spelled)).toBe(isPublicAddress(bare))
})

fuzz('public-inside', 'nothing that carries an IPv4 address inside is public', inside, (text) => {
  expect(isPublicAddress(text)).toBe(false)
})
