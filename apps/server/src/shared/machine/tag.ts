import { hash } from 'node:crypto'
import { AppError } from '../../platform/app-error.ts'

/** The ETag of a representation: the same for the same bytes. */
export const tagOf = (data: unknown): string => `"${hash('sha256', JSON.stringify(data), 'base64url').slice(0, 22)}"`

/** Whether an If-Match names this tag. Weak tags match nothing (RFC 9110, 13.1.1). */
const namesTag = (ifMatch: string, tag: string): boolean =>
  ifMatch.trim() === '*' || ifMatch.split(',').some((each) => each.trim() === tag)

/** Under the lock of what is changed: what the caller has read must be what there is. */
export function requireMatch(ifMatch: string | undefined, data: unknown): void {
  if (ifMatch !== undefined && !namesTag(ifMatch, tagOf(data))) throw new AppError('RESOURCE_CHANGED')
}
