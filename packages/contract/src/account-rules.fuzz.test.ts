import fc from 'fast-check'
import { expect } from 'vitest'
import { fuzz, quick } from '../../../tools/fuzz/fuzz.ts'
import { changed, longText, nastyText } from '../../../tools/fuzz/nasty.ts'
import { cleanNickname, isUsername, nicknameMost, passwordProblems, passwordSymbols } from './account-rules.ts'

const names = fc.oneof(nastyText, changed(fc.constantFrom('张三', 'Zoë', 'e\u0301', '👨‍👩‍👧', 'zhang_san')), longText)

fuzz('nickname', 'a nickname has one spelling, nothing invisible and a length that can be shown', names, (typed) => {
  const name = quick(typed.length, () => cleanNickname(typed))
  if (name === undefined) return
  expect(cleanNickname(name)).toBe(name)
  expect(name).toBe(name.normalize('NFC'))
  expect(name.isWellFormed()).toBe(true)
  expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^ | $| {2}|[^\S ]/u)
  expect([...name].length).toBeLessThanOrEqual(nicknameMost)
  // Typed in its other spelling it is the same name.
  expect(cleanNickname(typed.normalize('NFD'))).toBe(name)
})

fuzz('username', 'a username is plain ASCII and no number, address or id', names, (typed) => {
  if (!quick(typed.length, () => isUsername(typed))) return
  expect(typed).toMatch(/^[A-Za-z][A-Za-z0-9_]{3,19}$/)
  expect(typed.normalize('NFKC').trim()).toBe(typed)
  expect(typed).not.toMatch(/[@+-]|^\d/)
})

const passwords = fc.oneof(
  nastyText,
  fc.string({ unit: fc.constantFrom(...`aZ09${passwordSymbols}`), minLength: 6, maxLength: 18 }),
  longText,
)

fuzz(
  'password',
  'a password without fault has a letter, a digit and a symbol of the set, and nothing else',
  passwords,
  (typed) => {
    const problems = quick(typed.length, () => passwordProblems(typed))
    const count = (kind: (one: string) => boolean) => [...typed].filter(kind).length
    const letters = count((one) => (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'))
    const digits = count((one) => one >= '0' && one <= '9')
    const symbols = count((one) => passwordSymbols.includes(one))
    const good = letters > 0 && digits > 0 && symbols > 0 && letters + digits + symbols === typed.length
    expect(problems.length === 0).toBe(good && typed.length >= 8 && typed.length <= 16)
  },
)
