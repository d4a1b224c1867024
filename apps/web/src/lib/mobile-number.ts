/** The national digits of what was typed, pasted or filled in: +86, 0086, spaces and dashes are gone. */
export function cleanMobile(text: string, prefix: string): string {
  const plain = text.normalize('NFKC').replace(/[^\d+]/g, '')
  const foreign = [`+${prefix}`, `00${prefix}`].find((start) => plain.startsWith(start))
  const digits = plain.slice(foreign?.length ?? 0).replace(/\D/g, '')
  return prefix === '86' && /^861\d{10}$/.test(digits) ? digits.slice(2) : digits
}

/** Long enough to be worth sending to; the server knows the rest. */
export function isPlausible(mobile: string): boolean {
  return mobile.length >= 5
}

/** For showing back: 138 1234 5678; other lengths in fours from the end. */
export function groupMobile(mobile: string): string {
  const first = mobile.length % 4
  const fours = mobile.slice(first).match(/.{4}/g) ?? []
  return [mobile.slice(0, first), ...fours].filter(Boolean).join(' ')
}

/** 138****5678: enough to recognise the own number, not enough to use it. */
export function maskMobile(mobile: string): string {
  const shown = Math.min(3, Math.max(1, mobile.length - 8))
  return `${mobile.slice(0, shown)}****${mobile.slice(-4)}`
}
