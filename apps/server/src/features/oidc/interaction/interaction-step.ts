const factorReasons = ['essential_acr', 'essential_acrs']

/** What a page has to do about a prompt, for a browser with or without a session. */
export function stepOf(
  { name, reasons }: { name: string; reasons: string[] },
  signedIn: boolean,
): 'login' | 'account' | 'factor' | 'consent' | 'none' {
  if (!signedIn) return 'login'
  if (name === 'consent') return 'consent'
  if (name === 'select_account') return 'account'
  if (reasons.every((reason) => factorReasons.includes(reason))) return 'factor'
  return reasons.every((reason) => reason === 'no_session' || factorReasons.includes(reason)) ? 'none' : 'login'
}
