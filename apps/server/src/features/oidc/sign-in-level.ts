/** Authentication methods by RFC 8176; it has none for a sign-in by WeChat. */
const methodReferences: Record<string, string[]> = {
  mobile: ['sms'],
  password: ['pwd'],
  scan: ['mca'],
  passkey: ['pop', 'user'],
}

/** The levels of `acr`: one proof, or a second factor as well. */
export const acrValues = ['1', '2'] as const

/** What clients learn about how a session was begun. */
export const signInLevel = ({
  method,
  factor,
}: {
  method: string
  factor: boolean
}): { acr: string; amr: string[] } => ({
  acr: factor ? acrValues[1] : acrValues[0],
  amr: [...(methodReferences[method] ?? []), ...(factor ? ['mfa'] : [])],
})
