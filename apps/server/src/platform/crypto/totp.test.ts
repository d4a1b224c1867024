import { randomBytes, randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { base32, findStep, stepAt, totpAt } from './totp.ts'

/** RFC 6238, appendix B, for SHA-1: eight digits, of which six are the last ones. */
const vectors: [number, string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
]

test.each(vectors)('D132 the code at %i seconds is that of RFC 6238', (seconds, eight) => {
  const secret = Buffer.from('12345678901234567890')
  expect(totpAt(secret, stepAt(seconds * 1000))).toBe(eight.slice(2))
})

test('D132 secrets and codes are those of another implementation', () => {
  for (let round = 0; round < 500; round++) {
    const bytes = randomBytes(20)
    const time = randomInt(2 ** 32) * 1000
    const other = new TOTP({ secret: Secret.fromBase32(base32(bytes)), digits: 6, period: 30, algorithm: 'SHA1' })
    expect(totpAt(bytes, stepAt(time))).toBe(other.generate({ timestamp: time }))
    expect(base32(bytes)).toBe(other.secret.base32)
  }
})

test('D132 a code of the step before or after is found, and none further away', () => {
  const secret = randomBytes(20)
  const now = 1_800_000_000_000
  const found = [-2, -1, 0, 1, 2].map((ahead) => findStep(secret, totpAt(secret, stepAt(now) + ahead), now))
  expect(found).toEqual([undefined, ...[-1, 0, 1].map((ahead) => stepAt(now) + ahead), undefined])
})
