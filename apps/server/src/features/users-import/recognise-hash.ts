import {
  digestOfFormula,
  digests,
  formOf,
  formulaNames,
  hashFault,
  isFormula,
} from '../../platform/crypto/imported-hash.ts'

/** A password as it comes in: a hash to store as it is, or a fast digest that has to be wrapped first. */
export type ImportedPassword =
  | { secret: string; form: string | null }
  | { formula: string; salt: string; digest: string }

export type HashFault = 'HASH_UNKNOWN' | 'HASH_COST'

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/={1,2}$/, '')
const fromText = (salt: string): string => unpadded(Buffer.from(salt))
const fromHex = (hex: string): string => unpadded(Buffer.from(hex, 'hex'))
/** Base64 in the alphabets of PHC strings, of passlib and with padding. */
const fromBase64 = (text: string): string => unpadded(Buffer.from(text.replaceAll('.', '+'), 'base64'))

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const

/** The first block alone: each block of PBKDF2 proves the password, and more of them cost time for nothing. */
function pbkdf2(digest: string, iterations: string, salt: string, hash: string): string {
  const block = digestBytes[digest as keyof typeof digestBytes]
  const first = unpadded(Buffer.from(hash, 'base64').subarray(0, block))
  return `$pbkdf2-${digest}$i=${Number(iterations)}$${salt}$${first}`
}

const scrypt = (n: string, r: string, p: string, salt: string, hash: string): string =>
  `$scrypt$ln=${Math.log2(Number(n))},r=${r},p=${p}$${salt}$${hash}`

const number = String.raw`(\d{1,8})`
const base64 = '([A-Za-z0-9+/.]*={0,2})'

/** How other systems write their hashes, and how we do. */
export const encodings: [RegExp, (...groups: string[]) => string][] = [
  // Django
  [/^argon2(\$argon2(?:id|i|d)\$.+)$/, (hash) => hash],
  [/^bcrypt\$(\$2[aby]\$.+)$/, (hash) => hash],
  [/^bcrypt_sha256\$(\$2[aby]\$.+)$/, (hash) => `$django-bcrypt-sha256${hash}`],
  [
    new RegExp(String.raw`^pbkdf2_(sha1|sha256)\$${number}\$([^$]{1,128})\$${base64}$`),
    (digest, iterations, salt, hash) => pbkdf2(digest, iterations, fromText(salt), fromBase64(hash)),
  ],
  [
    new RegExp(String.raw`^scrypt\$${number}\$([^$]{1,128})\$${number}\$${number}\$${base64}$`),
    (n, salt, r, p, hash) => scrypt(n, r, p, fromText(salt), fromBase64(hash)),
  ],
  // Werkzeug
  [
    new RegExp(String.raw`^pbkdf2:(sha1|sha256|sha512):${number}\$([^$]{1,128})\$([0-9a-f]{32,128})$`),
    (digest, iterations, salt, hash) => pbkdf2(digest, iterations, fromText(salt), fromHex(hash)),
  ],
  [
    new RegExp(String.raw`^scrypt:${number}:${number}:${number}\$([^$]{1,128})\$([0-9a-f]{32,256})$`),
    (n, r, p, salt, hash) => scrypt(n, r, p, fromText(salt), fromHex(hash)),
  ],
  // PHC strings, with or without names and padding, and passlib's
  [
    new RegExp(String.raw`^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?${number}(?:,l=\d+)?\$${base64}\$${base64}$`),
    (digest, iterations, salt, hash) => pbkdf2(digest ?? 'sha1', iterations, fromBase64(salt), fromBase64(hash)),
  ],
  [
    new RegExp(String.raw`^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$${base64}\$${base64}$`),
    (ln, r, p, salt, hash) => `$scrypt$ln=${Number(ln)},r=${r},p=${p}$${fromBase64(salt)}$${fromBase64(hash)}`,
  ],
]

/** In the one spelling that is stored. */
function spelled(hash: string): string {
  for (const [pattern, write] of encodings) {
    const found = pattern.exec(hash)
    if (found) return write(...(found.slice(1) as string[]))
  }
  return hash
}

/** Django's `md5$salt$…` and `sha1$salt$…` name their formula by themselves. */
const ofDjango = /^(md5|sha1)\$([^$]{0,128})\$([0-9a-f]+)$/

const isHex = (text: string, length: number): boolean => text.length === length && /^[0-9a-f]+$/.test(text)

function recogniseDigest(formula: string, salt: string, typed: string): ImportedPassword | HashFault {
  const digest = digestOfFormula(formula)
  if (!digest) return 'HASH_UNKNOWN'
  const length = digests[digest]
  const hex = /^[0-9a-fA-F]+$/.test(typed) ? typed.toLowerCase() : Buffer.from(typed, 'base64').toString('hex')
  return isHex(hex, length) && salt.length <= 128 ? { formula, salt, digest: hex } : 'HASH_UNKNOWN'
}

export interface GivenHash {
  hash: string
  /** A formula, for digests that don't say how they were made. */
  algorithm?: string | undefined
  salt?: string | undefined
}

export function recogniseHash({ hash, algorithm, salt = '' }: GivenHash): ImportedPassword | HashFault {
  if (algorithm !== undefined) return isFormula(algorithm) ? recogniseDigest(algorithm, salt, hash) : 'HASH_UNKNOWN'
  const django = ofDjango.exec(hash)
  if (django) return recogniseDigest(`${django[1]}(salt+password)`, django[2] ?? '', django[3] ?? '')
  const secret = spelled(hash)
  return hashFault(secret) ?? { secret, form: formOf(secret) ?? null }
}

export const knownFormulas = formulaNames.join(', ')
