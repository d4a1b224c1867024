import { CallError } from './call.ts'

/** Whether to ask again by itself: what the server refused it will refuse again; anything else passes. */
export function isRetryable(_: number, error: Error): boolean {
  const status = (error instanceof CallError && error.status) || 0
  return status < 400 || status === 429 || status >= 500
}
