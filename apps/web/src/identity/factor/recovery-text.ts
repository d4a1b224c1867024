/** How many characters a recovery code has, without its hyphens. */
export const recoveryCharacters = 12

/** A recovery code as it was printed: capitals in groups of four. What was pasted with spaces or in small letters is the same. */
export function shownRecovery(typed: string): string {
  const characters = typed
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^A-Z\d]/g, '')
  return (characters.slice(0, recoveryCharacters).match(/.{1,4}/g) ?? []).join('-')
}
