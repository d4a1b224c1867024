import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** Keys by their number; the current one seals, all of them open. */
export interface Keys {
  current: string
  byId: ReadonlyMap<string, Buffer>
}

/** Printable text: a typed passphrase, not random bytes. */
const words = /^[\t\n\r -~\u3000-\u303f\p{Script=Han}\uff00-\uffef]+$/u

/**
 * Keys that are not random: text, bytes that repeat or count up, few different bytes. Of random keys, fewer than one in
 * 10^12 looks like this: text occurs once in 10^13, sixteen different bytes or fewer once in 3 × 10^13, the others
 * hardly ever.
 */
export function weakness(key: Buffer): string | undefined {
  if (words.test(key.toString('utf8'))) return 'typed text'
  const steps = new Set(key.subarray(1).map((byte, at) => byte - (key[at] ?? 0)))
  if (steps.size === 1) return 'a sequence of bytes'
  const repeats = (length: number) => key.subarray(length).every((byte, at) => byte === key[at])
  if (Array.from({ length: 16 }, (_, index) => index + 1).some(repeats)) return 'a pattern that repeats'
  return new Set(key).size <= 16 ? 'made of few different bytes' : undefined
}

/** A line for HUFU_KEYS. */
export const newKey = (): string => `1:${randomBytes(32).toString('base64')}`

/**
 * Reads `2:<base64>,1:<base64>`: 32 bytes each, the first one current. A weak current key is refused; an old one may be
 * weak, so that what it sealed can be sealed again.
 */
export function parseKeys(text: string): Keys {
  const byId = new Map<string, Buffer>()
  for (const part of text.split(',')) {
    const [, id, encoded] = /^\s*(\d+):([A-Za-z0-9+/_=-]+)\s*$/.exec(part) ?? []
    if (!id || !encoded) throw new Error('must look like 1:<32 bytes in base64>, newest first')
    const key = Buffer.from(encoded, 'base64')
    if (key.length !== 32) throw new Error(`key ${id} has ${key.length} bytes instead of 32`)
    if (byId.has(id)) throw new Error(`key ${id} appears twice`)
    byId.set(id, key)
  }
  const [current] = byId.keys()
  if (!current) throw new Error('no key')
  const weak = weakness(byId.get(current) as Buffer)
  if (weak) throw new Error(`key ${current} is ${weak} and could be guessed; use one of \`hufu key\` instead`)
  return { current, byId }
}

const mark = 'sealed:'

export const isSealed = (value: unknown): value is string => typeof value === 'string' && value.startsWith(mark)

/**
 * Encrypts with a context as additional authenticated data: moved to another site or owner the text can't be opened.
 */
export function seal(keys: Keys, context: string, text: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key(keys, keys.current), iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${mark}${keys.current}:${sealed.toString('base64')}`
}

export function unseal(keys: Keys, context: string, sealed: string): string {
  const [id, encoded] = sealed.slice(mark.length).split(':')
  if (!isSealed(sealed) || !id || !encoded) throw new Error('not a sealed text')
  const bytes = Buffer.from(encoded, 'base64')
  // Node accepts a tag of four bytes as well, which could be guessed.
  if (bytes.length < 28) throw new Error('not a sealed text')
  const decipher = createDecipheriv('aes-256-gcm', key(keys, id), bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8')
}

/** Whether a sealed text waits for `keys rotate`. */
export const sealedWithOldKey = (keys: Keys, sealed: string): boolean => !sealed.startsWith(`${mark}${keys.current}:`)

function key(keys: Keys, id: string): Buffer {
  const found = keys.byId.get(id)
  if (!found) throw new Error(`key ${id} isn't in HUFU_KEYS`)
  return found
}
