import { CallError } from '../../lib/call.ts'

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

/** Whether the server blames the number rather than the code. */
export function isAboutMobile(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  return error.code === 'MOBILE_INVALID' || error.details?.field === 'mobile'
}
