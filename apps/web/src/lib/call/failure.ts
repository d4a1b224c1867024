import { CallError } from './call.ts'

/** What the server said and the field it is about. */
export interface Failure<Field extends string> {
  field: Field
  code: string
  message: string
}

/** Anything but an answer of the server is a fault of ours and goes on up. */
export function failureOf<Field extends string>(error: unknown, field: Field): Failure<Field> {
  if (!(error instanceof CallError)) throw error
  return { field, code: error.code, message: error.message }
}

export const messageFor = <Field extends string>(failure: Failure<Field> | undefined, field: Field) =>
  failure?.field === field ? failure.message : undefined

const aboutReceiver = ['MOBILE_INVALID', 'EMAIL_INVALID', 'MOBILE_TAKEN', 'EMAIL_TAKEN', 'UNCHANGED']

/** Whether the server blames the number or address rather than the code. */
export function isAboutReceiver(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  return aboutReceiver.includes(error.code) || ['mobile', 'email'].includes(String(error.details?.field))
}

/** How long the server wants to be left alone, where it says so. */
export function retryAfter(error: unknown): number | undefined {
  const wait = error instanceof CallError ? error.details?.retryAfter : undefined
  return typeof wait === 'number' && wait > 0 ? wait : undefined
}
