/** Rules of names and passwords that the browser checks while the user types; the server applies the same. */
export const passwordSymbols = '~!@#$%^&*()-_=+[]{}|;:,.<>?/'
export const passwordLength = { least: 8, most: 16 }

export const passwordMessages = {
  symbols: `符号仅支持：${passwordSymbols}`,
  length: `密码长度为${passwordLength.least}-${passwordLength.most}位`,
  contain: '密码必须包含数字、字母和符号',
  mismatch: '两次输入的密码不一致',
} as const

export type PasswordProblem = keyof typeof passwordMessages

const isLetter = (character: string) => /[A-Za-z]/.test(character)
const isDigit = (character: string) => /\d/.test(character)

/** Every rule that a new password breaks, in the order in which they are shown. */
export function passwordProblems(typed: string, again = typed): PasswordProblem[] {
  const characters = [...typed]
  const isSymbol = (character: string) => passwordSymbols.includes(character)
  const allowed = characters.every((one) => isLetter(one) || isDigit(one) || isSymbol(one))
  const complete = [isLetter, isDigit, isSymbol].every((kind) => characters.some(kind))
  const { least, most } = passwordLength
  const broken: Record<PasswordProblem, boolean> = {
    symbols: !allowed,
    length: typed.length < least || typed.length > most,
    contain: !complete,
    mismatch: typed !== again,
  }
  return (Object.keys(broken) as PasswordProblem[]).filter((problem) => broken[problem])
}

export const usernameRule = '4-20位字母、数字或下划线，以字母开头'

/** Plain ASCII: look-alike letters never make a second account. */
export const isUsername = (text: string): boolean => /^[A-Za-z]\w{3,19}$/.test(text)

export const nicknameMost = 20

/** Trimmed, normalised, nothing invisible; undefined where nothing or too much is left. */
export function cleanNickname(typed: string): string | undefined {
  // Letters compose with their accents only after invisible characters are removed.
  const text = typed
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, '')
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim()
  const length = [...text].length
  return length >= 1 && length <= nicknameMost ? text : undefined
}
