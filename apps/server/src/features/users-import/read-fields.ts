import { csvCells } from './csv-record.ts'
import { type FieldName, fieldNames, type GivenFields, type GivenWechat, type Refusal } from './imported-user.ts'
import { BrokenFile, type FileRecord } from './record-reader.ts'

const isField = (name: string): name is FieldName => (fieldNames as readonly string[]).includes(name)

/** The columns of a CSV file, by its first line. A misspelled one must not lose what is in it. */
export function readHeader(text: string): FieldName[] {
  const names = csvCells(text.replace(/^\uFEFF/, ''))?.map((name) => name.trim())
  const unknown = names?.filter((name) => !isField(name))
  if (!names || unknown?.length) {
    const what = unknown?.length
      ? `unknown columns ${unknown.map((name) => JSON.stringify(name)).join(', ')}`
      : 'no CSV'
    throw new BrokenFile(`line 1: ${what}; the columns are ${fieldNames.join(', ')}`)
  }
  if (new Set(names).size < names.length) throw new BrokenFile('line 1: a column stands twice')
  return names as FieldName[]
}

const refused = (line: number, code: Refusal['code'], field: FieldName | null = null): Refusal[] => [
  { line, field, code },
]

export function csvFields({ line, text = '' }: FileRecord, columns: FieldName[]): GivenFields | Refusal[] {
  const cells = csvCells(text)
  // Where cells can't be told apart, a user's text could be read as another row's.
  if (!cells)
    throw new BrokenFile(`line ${line}: quotes stand in the middle of a cell; nothing from this line on was read`)
  if (cells.length !== columns.length) return refused(line, 'CELLS_WRONG')
  const given: GivenFields = {}
  for (const [index, column] of columns.entries()) {
    const cell = cells[index]
    if (cell) given[column] = cell
  }
  return given
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function isWechat(value: unknown): value is GivenWechat {
  if (value === null || typeof value !== 'object') return false
  const { appId, openid, unionid, ...rest } = value as Record<string, unknown>
  const texts = [appId, openid, ...(unionid === undefined ? [] : [unionid])]
  return Object.keys(rest).length === 0 && texts.every((text) => typeof text === 'string')
}

export function jsonFields({ line, text = '' }: FileRecord): GivenFields | Refusal[] {
  const object = parseObject(text.replace(/^\uFEFF/, ''))
  if (!object) return refused(line, 'NOT_JSON')
  const given: GivenFields = {}
  for (const [name, value] of Object.entries(object)) {
    if (!isField(name)) return refused(line, 'FIELD_UNKNOWN')
    if (value === null || value === '') continue
    if (name === 'wechat' && Array.isArray(value) && value.every(isWechat)) given.wechats = value
    else if (typeof value === 'string') given[name] = value
    else if (typeof value === 'number' && name.endsWith('At')) given[name] = String(value)
    else return refused(line, 'FIELD_TYPE', name)
  }
  return given
}
