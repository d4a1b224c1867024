import { randomInt } from 'node:crypto'
import { recoveryCodes } from '@hufu/contract/factors'
import { sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import { type Keys, seal, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'

/** Thirty letters and digits that can't be taken for one another. */
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const groups = 3
const groupLength = 4

/** `XXXX-XXXX-XXXX`: 59 bits. */
export function newFactorCode(): string {
  const group = () => Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** As it was made, however it was typed. */
export const plainCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9]/g, '')

export const totpContext = (siteId: SiteId, userId: UserId) => `totp ${siteId} ${userId}`
export const codeContext = (siteId: SiteId, userId: UserId) => `recovery-code ${siteId} ${userId}`

const hashOf = (code: string) => sha256(plainCode(code)).toString('base64')

/** New recovery codes, and how they are stored. */
export function newRecoveryCodes(keys: Keys, siteId: SiteId, userId: UserId): { codes: string[]; sealed: string[] } {
  const codes = Array.from({ length: recoveryCodes }, newFactorCode)
  return { codes, sealed: codes.map((code) => seal(keys, codeContext(siteId, userId), hashOf(code))) }
}

/** Whether a stored code is the one that was typed. */
export function isRecoveryCode(keys: Keys, siteId: SiteId, userId: UserId, sealed: string, typed: string): boolean {
  const stored = unseal(keys, codeContext(siteId, userId), sealed)
  return sameBytes(Buffer.from(stored, 'base64'), sha256(plainCode(typed)))
}
