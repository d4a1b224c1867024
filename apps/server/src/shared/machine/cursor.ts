import { AppError } from '../../platform/app-error.ts'
import { keyedHash, matchesKeyedHash } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { Site } from '../sites/sites.ts'
import { type Machine, machineName } from './machine.ts'

const use = 'manage-cursor'

/** The last row that was read, by the columns of the order. */
export type Position = readonly [key: string, id: string]

/** What a cursor is good for: one list, with the same filters, for one client of one site. */
export interface CursorFor {
  site: Pick<Site, 'id'>
  machine: Pick<Machine, 'client'>
  list: string
  filter?: object
}

const signedText = ({ site, machine, list, filter = {} }: CursorFor, position: string): string =>
  JSON.stringify([site.id, machineName(machine), list, Object.entries(filter).toSorted(), position])

function formatCursor(keys: Keys, of: CursorFor, position: Position): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url')
  return `${text}.${keyedHash(keys, use, signedText(of, text)).toString('base64url')}`
}

/** Undefined where none was sent. A cursor that wasn't given out for just this is refused. */
export function parseCursor(keys: Keys, of: CursorFor, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const [text = '', mac = '', ...more] = cursor.split('.')
  if (more.length > 0 || !matchesKeyedHash(keys, use, signedText(of, text), Buffer.from(mac, 'base64url')))
    throw new AppError('INPUT_INVALID', { field: 'cursor' })
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Position
}

interface Keyed {
  key: string
  id: string
}

/** A page of rows of which one more than `top` was read. */
export function pageOf<Row extends Keyed>(
  keys: Keys,
  of: CursorFor,
  rows: Row[],
  top: number,
): { data: Row[]; next: string | null } {
  const data = rows.slice(0, top)
  const last = data.at(-1)
  return { data, next: last && rows.length > top ? formatCursor(keys, of, [last.key, last.id]) : null }
}

/** Rows of a page where the caller doesn't say. */
export const defaultTop = 20
