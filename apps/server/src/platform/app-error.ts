import { type ErrorCode, errors, type Failure } from '@hufu/contract/errors'

/** A failure that the user sees, in the words of the contract's table. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined

  constructor(code: ErrorCode, details?: Record<string, unknown>) {
    super(errors[code].message)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errors[this.code].status
  }

  body(): Failure {
    return { code: this.code, message: this.message, ...(this.details && { details: this.details }) }
  }
}
