export const userCodeLength = 8

/** What counts of what was typed. */
export const lettersIn = (typed: string): string =>
  typed
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
    .slice(0, userCodeLength)

/** As the device shows it: two groups of four. */
export function groupedCode(typed: string): string {
  const letters = lettersIn(typed)
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters
}
