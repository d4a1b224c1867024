import { CallError } from './call.ts'

/** The server's error and the field it concerns. */
export interface Failure<Field extends string> {
  field: Field
  code: string
  message: string
}

/** Any other error is a bug and is rethrown. */
export function failureOf<Field extends string>(error: unknown, field: Field): Failure<Field> {
  if (!(error instanceof CallError)) throw error
  return { field, code: error.code, message: error.message }
}

/**
 * The message of a query's failure; none while the second factor is asked for over the page, after which the query is
 * sent again.
 */
export function troubleOf(error: Error | null): string | undefined {
  const asked = error instanceof CallError && error.code === 'TWO_FACTOR_REQUIRED' && error.details?.factor === true
  return asked ? undefined : error?.message
}

export const messageFor = <Field extends string>(failure: Failure<Field> | undefined, field: Field) =>
  failure?.field === field ? failure.message : undefined

const aboutReceiver = ['MOBILE_INVALID', 'EMAIL_INVALID', 'MOBILE_TAKEN', 'EMAIL_TAKEN', 'UNCHANGED']

/** Whether the error concerns the receiver rather than the code. */
export function isAboutReceiver(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  return aboutReceiver.includes(error.code) || ['mobile', 'email'].includes(String(error.details?.field))
}

/** The server's Retry-After, if any. */
export function retryAfter(error: unknown): number | undefined {
  const wait = error instanceof CallError ? error.details?.retryAfter : undefined
  return typeof wait === 'number' && wait > 0 ? wait : undefined
}
