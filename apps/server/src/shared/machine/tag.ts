import { hash } from 'node:crypto'

/** The ETag of a representation: the same for the same bytes. */
export const tagOf = (data: unknown): string => `"${hash('sha256', JSON.stringify(data), 'base64url').slice(0, 22)}"`
