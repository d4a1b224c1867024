import { createHash, pbkdf2, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { verify as verifyArgon2 } from '@node-rs/argon2'
import { sameBytes } from './hash.ts'

/**
 * Hashes that other systems made, each in one spelling. Argon2 and bcrypt are as everywhere, scrypt and PBKDF2 as PHC
 * strings without padding. `$wrapped$` holds a fast digest that was hashed again by our argon2id.
 */
const shapes = {
  bcrypt: /^(?<django>\$django-bcrypt-sha256)?\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
  argon2:
    /^\$(?<kind>argon2(?:id|i|d))\$v=19\$m=(?<m>\d{1,7}),t=(?<t>\d{1,5}),p=(?<p>\d{1,2})\$(?<salt>[A-Za-z0-9+/]{11,128})\$(?<hash>[A-Za-z0-9+/]{22,172})$/,
  scrypt:
    /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,3})\$(?<salt>[A-Za-z0-9+/]{0,172})\$(?<hash>[A-Za-z0-9+/]{22,172})$/,
  pbkdf2:
    /^\$pbkdf2-(?<digest>sha1|sha256|sha512)\$i=(?<i>\d{1,8})\$(?<salt>[A-Za-z0-9+/]{0,172})\$(?<hash>[A-Za-z0-9+/]{22,86})$/,
  wrapped: /^\$wrapped\$(?<formula>[a-z0-9()+]+)\$(?<salt>[\w-]*)(?<inner>\$argon2id\$.+)$/,
}

type Groups = Record<string, string | undefined>
const match = (name: keyof typeof shapes, stored: string): Groups | undefined => shapes[name].exec(stored)?.groups

const bytesOf = (text = ''): Buffer => Buffer.from(text, 'base64')
const scryptAsync = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: object,
) => Promise<Buffer>
const pbkdf2Async = promisify(pbkdf2)

/** The memory that one verification may take. */
const mostMemory = 128 * 1024 * 1024

/** Whether one verification of it stays within about a second and 128 MB. */
function isAffordable(stored: string): boolean {
  const bcrypt = match('bcrypt', stored)
  if (bcrypt) return Number(bcrypt.cost) >= 4 && Number(bcrypt.cost) <= 14
  const argon2 = match('argon2', stored)
  if (argon2) {
    const [memory, passes, lanes] = [Number(argon2.m), Number(argon2.t), Number(argon2.p)]
    const valid = lanes >= 1 && lanes <= 16 && passes >= 1 && memory >= 8 * lanes
    return valid && memory * 1024 <= mostMemory && memory * passes <= 2 ** 20
  }
  const scrypted = match('scrypt', stored)
  if (scrypted) {
    const [ln, r, p] = [Number(scrypted.ln), Number(scrypted.r), Number(scrypted.p)]
    return ln >= 1 && ln <= 20 && r >= 1 && p >= 1 && 2 ** ln * r * p <= 2 ** 20
  }
  const iterations = Number(match('pbkdf2', stored)?.i)
  return iterations >= 1 && iterations <= 2_000_000
}

/** Why a hash is not taken over; undefined for one that is. */
export function hashFault(stored: string): 'HASH_UNKNOWN' | 'HASH_COST' | undefined {
  const wrapped = match('wrapped', stored)
  if (wrapped) return isFormula(wrapped.formula ?? '') ? hashFault(wrapped.inner ?? '') : 'HASH_UNKNOWN'
  const known = (['bcrypt', 'argon2', 'scrypt', 'pbkdf2'] as const).some((name) => match(name, stored))
  if (!known) return 'HASH_UNKNOWN'
  return isAffordable(stored) ? undefined : 'HASH_COST'
}

/** How a fast digest was made; digests inside are hexadecimal. */
const arrangements = ['(password)', '(salt+password)', '(password+salt)', '((password)+salt)'] as const
export const digests = { md5: 32, sha1: 40, sha256: 64, sha512: 128 } as const

/** `md5(salt+password)`, `sha1(sha1(password)+salt)` … */
const formulas = new Map(
  Object.keys(digests).flatMap((digest) =>
    arrangements.map((arrangement) => [
      digest + arrangement.replace('((', `(${digest}(`),
      { digest: digest as keyof typeof digests, arrangement },
    ]),
  ),
)
export const isFormula = (formula: string): boolean => formulas.has(formula)
export const formulaNames = [...formulas.keys()]
export const digestOfFormula = (formula: string): keyof typeof digests | undefined => formulas.get(formula)?.digest

/** The digest by a formula, hexadecimal. */
function compute(formula: string, salt: string, password: string): string {
  const { digest, arrangement } = formulas.get(formula) ?? { digest: 'sha512', arrangement: '(password)' }
  const hex = (text: string) => createHash(digest).update(text).digest('hex')
  switch (arrangement) {
    case '(password)':
      return hex(password)
    case '(salt+password)':
      return hex(salt + password)
    case '(password+salt)':
      return hex(password + salt)
    case '((password)+salt)':
      return hex(hex(password) + salt)
  }
}

/** A fast digest as it is stored: the text that argon2id made of it, and how to compute it from a password. */
export const wrappedHash = (formula: string, salt: string, argon2id: string): string =>
  `$wrapped$${formula}$${Buffer.from(salt).toString('base64url')}${argon2id}`

async function verifyBcrypt({ django }: Groups, stored: string, password: string): Promise<boolean> {
  const { verify } = await import('@node-rs/bcrypt')
  if (!django) return await verify(password, stored)
  return await verify(createHash('sha256').update(password).digest('hex'), stored.slice(django.length))
}

/** Whether it is the password of a hash in any of these shapes, in a time that depends on the hash's parameters alone. */
export async function verifyHash(stored: string, password: string): Promise<boolean> {
  const bcrypt = match('bcrypt', stored)
  if (bcrypt) return await verifyBcrypt(bcrypt, stored, password)
  const wrapped = match('wrapped', stored)
  if (wrapped) {
    const { formula = '', salt = '', inner = '' } = wrapped
    return await verifyArgon2(inner, compute(formula, Buffer.from(salt, 'base64url').toString(), password))
  }
  const pbkdf2ed = match('pbkdf2', stored)
  if (pbkdf2ed) {
    const { digest = '', i, salt, hash } = pbkdf2ed
    const expected = bytesOf(hash)
    return sameBytes(await pbkdf2Async(password, bytesOf(salt), Number(i), expected.length, digest), expected)
  }
  const scrypted = match('scrypt', stored)
  if (scrypted) {
    const { ln, r, p, salt, hash } = scrypted
    const expected = bytesOf(hash)
    const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 * mostMemory }
    return sameBytes(await scryptAsync(password, bytesOf(salt), expected.length, cost), expected)
  }
  return await verifyArgon2(stored, password)
}

/** To two digits: systems that vary their iterations from user to user have one form for many of them. */
function rounded(count: string | undefined): number {
  const unit = 10 ** Math.max((count ?? '').length - 2, 0)
  return Math.round(Number(count) / unit) * unit
}

/** What the time of a verification depends on. */
export function formOf(stored: string): string | undefined {
  const bcrypt = match('bcrypt', stored)
  if (bcrypt) return `bcrypt ${bcrypt.cost}`
  const scrypted = match('scrypt', stored)
  if (scrypted) return `scrypt ln=${scrypted.ln},r=${scrypted.r},p=${scrypted.p}`
  const pbkdf2ed = match('pbkdf2', stored)
  if (pbkdf2ed) return `pbkdf2-${pbkdf2ed.digest} i=${rounded(pbkdf2ed.i)}`
  const argon2 = match('argon2', stored)
  return argon2 && `${argon2.kind} m=${argon2.m},t=${argon2.t},p=${argon2.p}`
}

const lengths: Record<string, number> = { sha1: 27, sha256: 43, sha512: 86 }

/** A hash of this form that no password has: refusing by it takes as long as refusing by a user's. */
export function decoyOf(form: string): string {
  const [kind = '', parameters = ''] = form.split(' ')
  const zeros = (count: number) => 'A'.repeat(count)
  if (kind === 'bcrypt') return `$2b$${parameters}$${'.'.repeat(53)}`
  if (kind.startsWith('argon2')) return `$${kind}$v=19$${parameters}$${zeros(22)}$${zeros(43)}`
  if (kind === 'scrypt') return `$scrypt$${parameters}$${zeros(22)}$${zeros(43)}`
  return `$${kind}$${parameters}$${zeros(22)}$${zeros(lengths[kind.replace('pbkdf2-', '')] ?? 43)}`
}
