/** Common words that users extend by a digit and a symbol; spellings and endings are found by rule. */
const common = `
  password passwd passw0rd pass passcode admin administrator root user guest test testing demo temp default system manager
  login logon welcome hello letmein changeme secret master super superman batman dragon monkey shadow sunshine princess
  football baseball iloveyou love loveyou nihao woaini woaini1314 aini wode zhongguo china beijing shanghai
  abc abcd abcde abcdef aabbcc a aa123 aa1234 aa12345 aa123456 aaa aaaa qq qqq
  qwe qwer qwert qwerty qwertyuiop asd asdf asdfgh asdfghjkl zxc zxcv zxcvb zxcvbn zxcvbnm qaz qazwsx wsx
  1q2w3e 1q2w3e4r q1w2e3 q1w2e3r4 1qaz2wsx 1qaz@wsx 1qaz!qaz zaq12wsx qwe123asd
`

const lookAlikes: Record<string, string> = {
  0: 'o',
  1: 'i',
  l: 'i',
  '!': 'i',
  3: 'e',
  4: 'a',
  '@': 'a',
  5: 's',
  $: 's',
  7: 't',
}

/** One spelling for variants: case, digits and symbols that replace letters, marks between. */
const fold = (text: string): string =>
  [...text.toLowerCase().replace(/[-_.]/g, '')].map((one) => lookAlikes[one] ?? one).join('')

const commonWords = new Set(common.trim().split(/\s+/).map(fold))

const hasLetter = /[a-z]/i
const runs = ['01234567890', '09876543210', '5201314']

/** What is added before or behind a word to satisfy a rule: a few marks, and easy digits. */
function isUsualEdge(edge: string): boolean {
  const digits = edge.replace(/\D/g, '')
  if (hasLetter.test(edge) || edge.length - digits.length > 3) return false
  return digits.length <= 3 || /^(19|20)\d\d$|^(\d)\2*$/.test(digits) || runs.some((run) => run.includes(digits))
}

/** Every part of a text, with what stands before and behind it. */
function* partsOf(text: string): Generator<{ part: string; edges: [string, string] }> {
  for (let start = 0; start < text.length; start++)
    for (let end = start + 1; end <= text.length; end++)
      yield { part: text.slice(start, end), edges: [text.slice(0, start), text.slice(end)] }
}

export interface OwnNames {
  username?: string | null | undefined
  email?: string | null | undefined
  mobile?: string | null | undefined
}

/** Shorter ones stand in many a good password by chance. */
const leastName = 4

/** Words that an attacker of this account or site tries first. */
function ownWords({ username, email }: OwnNames, siteNames: string[]): string[] {
  const words = [username, email?.split('@')[0], ...siteNames.flatMap((text) => text.split(/[^A-Za-z0-9]+/))]
  return words.filter((word) => word && word.length >= leastName && hasLetter.test(word)) as string[]
}

/**
 * A password that satisfies the rule on its characters and is easily guessed: a common word with the usual additions,
 * or only digits and marks around a name of the user or of the site. `siteNames` holds names and hosts.
 */
export function isWeakPassword(password: string, user: OwnNames, siteNames: string[] = []): boolean {
  const own = new Set(ownWords(user, siteNames).map(fold))
  const { mobile } = user
  if (mobile && password.includes(mobile.slice(-8))) return true
  for (const { part, edges } of partsOf(password)) {
    const word = fold(part)
    if (own.has(word) && !edges.some((edge) => hasLetter.test(edge))) return true
    if (commonWords.has(word) && edges.every(isUsualEdge)) return true
  }
  return false
}
