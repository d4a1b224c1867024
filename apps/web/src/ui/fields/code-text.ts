import { codeLength } from '@hufu/contract/verify-code-rules'

/** The code's digits in what was typed; full-width ones count. */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replace(/\D/g, '').slice(0, codeLength)
}

/** The code in a pasted text message: six digits that aren't part of a longer number, or else all digits there are. */
export function codeIn(text: string): string | undefined {
  const plain = text.normalize('NFKC')
  const alone = new RegExp(`(?:^|\\D)(\\d{${codeLength}})(?!\\d)`).exec(plain)?.[1]
  const digits = plain.replace(/\D/g, '')
  return alone ?? (digits.length === codeLength ? digits : undefined)
}
