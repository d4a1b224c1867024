import { CallError } from './call.ts'

/** Whether to retry automatically: a refusal by the server is final, any other failure is temporary. */
export function isRetryable(_: number, error: Error): boolean {
  const status = (error instanceof CallError && error.status) || 0
  return status < 400 || status === 429 || status >= 500
}
