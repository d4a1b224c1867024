import { passwordProblems } from '@hufu/contract/account-rules'
import { AppError } from '../../platform/app-error.ts'
import { isWeakPassword, type OwnNames } from './weak-password.ts'

const refusals = { symbols: 'PASSWORD_SYMBOLS', length: 'PASSWORD_LENGTH', contain: 'PASSWORD_CONTAIN' } as const

/** The rule that the browser shows while the user types. */
export function requireRule(password: string): void {
  const [problem] = passwordProblems(password)
  if (problem && problem !== 'mismatch') throw new AppError(refusals[problem], { field: 'password' })
}

/** Passwords that satisfy the rule and are among the first guesses. */
export function refuseWeak(password: string, user: OwnNames, siteNames: string[] = []): void {
  if (isWeakPassword(password, user, siteNames)) throw new AppError('PASSWORD_COMMON', { field: 'password' })
}
