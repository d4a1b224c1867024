import type { FileHandle } from 'node:fs/promises'
import type { FieldName, GivenFields, Refusal } from './imported-user.ts'
import { type ParsingRules, parseUser } from './parse-user.ts'
import { csvFields, jsonFields, readHeader } from './read-fields.ts'
import { BrokenFile, type FileRecord, type ReadFrom, readCsvRecords, readJsonRecords } from './record-reader.ts'
import type { Batch } from './write-batch.ts'

export type FileFormat = 'jsonl' | 'csv'

export interface Reading {
  file: FileHandle
  format: FileFormat
  rules: ParsingRules
}

/** Small enough that a sign-up never waits long for a batch, large enough that commits cost little. */
const mostRows = 1_000
/** Of those whose digest is hashed first, each of which takes as long as a sign-in. */
const mostWrapped = 100

/** The columns of a CSV file, and where its rows begin. */
async function readColumns(file: FileHandle): Promise<{ columns: FieldName[]; rows: ReadFrom }> {
  for await (const { text, end } of readCsvRecords(file, { bytes: 0, lines: 0 })) {
    if (text === undefined) break
    return { columns: readHeader(text), rows: end }
  }
  throw new BrokenFile('line 1: no columns in UTF-8')
}

async function openRecords({ file, format }: Reading, from: ReadFrom) {
  if (format === 'jsonl') return { records: readJsonRecords(file, from), fields: jsonFields }
  const { columns, rows } = await readColumns(file)
  const fields = (record: FileRecord) => csvFields(record, columns)
  return { records: readCsvRecords(file, from.bytes === 0 ? rows : from), fields }
}

function fieldsOf(record: FileRecord, fields: (record: FileRecord) => GivenFields | Refusal[]) {
  const { line, fault } = record
  return fault ? [{ line, field: null, code: fault }] : fields(record)
}

/** The rows of a file in batches, from where an interrupted import stopped. Empty lines are no rows. */
export async function* readBatches(reading: Reading, from: ReadFrom): AsyncGenerator<Batch> {
  const { records, fields } = await openRecords(reading, from)
  let batch: Batch = { users: [], refusals: [], end: from }
  let rows = 0
  let wrapped = 0
  for await (const record of records) {
    batch.end = record.end
    if (record.text === '' || record.text === '\uFEFF') continue
    rows++
    const given = fieldsOf(record, fields)
    const user = Array.isArray(given) ? given : parseUser(record.line, given, reading.rules)
    if (Array.isArray(user)) batch.refusals.push(...user)
    else {
      batch.users.push(user)
      if (user.password && 'digest' in user.password) wrapped++
    }
    if (rows < mostRows && wrapped < mostWrapped) continue
    yield batch
    batch = { users: [], refusals: [], end: record.end }
    rows = 0
    wrapped = 0
  }
  if (rows > 0 || batch.end !== from) yield batch
}
