import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../../../tools/fuzz/nasty.ts'
import { isSealed, parseKeys, seal, unseal } from './secrets.ts'

const key = () => randomBytes(32).toString('base64')
const text = `2:${key()},1:${key()}`
const keys = parseKeys(text)

fuzz(
  'keys',
  'keys are read as they are written, or refused in words',
  fc.oneof(changed(fc.constant(text)), longText),
  (typed) => {
    try {
      const { current, byId } = quick(typed.length, () => parseKeys(typed))
      expect([...byId.keys()][0]).toBe(current)
      for (const bytes of byId.values()) expect(bytes.length).toBe(32)
      const written = [...byId].map(([id, bytes]) => `${id}:${bytes.toString('base64')}`).join(',')
      expect(parseKeys(written)).toEqual({ current, byId })
    } catch (error) {
      expect(String(error)).toMatch(/^Error: (must look like|key \d+ (has|appears|is)|no key)/)
    }
  },
)

const secrets = fc.record({ context: nastyText, secret: fc.oneof(nastyText, longText) })

fuzz('sealed-secret', 'what was sealed for a context opens in it alone', secrets, ({ context, secret }) => {
  const sealed = quick(secret.length, () => seal(keys, context, secret))
  expect(isSealed(sealed)).toBe(true)
  expect(quick(secret.length, () => unseal(keys, context, sealed))).toBe(secret.toWellFormed())
  expect(() => unseal(keys, `${context}/`, sealed)).toThrow()
})

const good = fc.constantFrom(seal(keys, 'here', 'secret'), seal(keys, 'here', ''))

fuzz(
  'sealed',
  'a sealed text that was changed opens as nothing else',
  fc.oneof(changed(good), nastyText, longText),
  (sealed) => {
    let opened: string | undefined
    try {
      opened = quick(sealed.length, () => unseal(keys, 'here', sealed))
    } catch (error) {
      return void expect(error).toBeInstanceOf(Error)
    }
    // Spaces and other marks that base64 passes over change nothing.
    expect(['secret', '']).toContain(opened)
  },
)

/** Bytes cut off until hardly a tag is left. */
const cut = fc.record({
  id: fc.constantFrom('1', '2', '3', ''),
  bytes: fc.string({ unit: fc.nat(255).map((n) => String.fromCharCode(n)), maxLength: 32 }),
})

fuzz('sealed-short', 'too short to hold a whole tag, it is refused before it is tried', cut, ({ id, bytes }) => {
  const sealed = `sealed:${id}:${Buffer.from(bytes, 'latin1').toString('base64')}`
  expect(() => unseal(keys, 'here', sealed)).toThrow(/not a sealed text|isn't in HUFU_KEYS|authenticate/)
})
