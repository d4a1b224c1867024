import { cleanMobile } from '../../../lib/mobile-number.ts'
import type { ClientRequest } from '../login/lead.tsx'

/** A number with its prefix, as clients write it: +86 138 1234 5678, +8613812345678. */
const withPrefix = (text: string, prefixes: string[]) => {
  const digits = /^\+([\d\s-]{6,24})$/.exec(text)?.[1]?.replace(/\D/g, '')
  const prefix = prefixes.find((each) => digits?.startsWith(each))
  return digits && prefix ? `+${prefix} ${digits.slice(prefix.length)}` : undefined
}

/** A number without one is of the first region. */
function receiverIn(text: string, prefixes: string[]): string | undefined {
  const own = prefixes[0]
  if (own && /^\d[\d\s-]{4,19}$/.test(text)) return `+${own} ${cleanMobile(text, own)}`
  return withPrefix(text, prefixes)
}

/** What the client believes the user signs in with, where the forms have a field for it. */
export function filledBy(
  hint: string | null,
  prefixes: string[],
): Pick<ClientRequest, 'receiver' | 'account' | 'method'> {
  const text = hint?.trim() ?? ''
  if (text === '' || text.length > 100) return {}
  const receiver = receiverIn(text, prefixes)
  if (receiver) return { receiver, account: receiver.split(' ')[1] }
  return { account: text, method: 'password' }
}
