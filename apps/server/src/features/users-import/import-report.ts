import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { csvLine } from './csv-record.ts'
import type { Refusal } from './imported-user.ts'
import { refusalWords } from './refusal-words.ts'

const columns = ['line', 'field', 'code', 'message', 'first', 'user'] as const

const plain = ({ line, field, code, first, user }: Refusal) => ({
  line,
  field,
  code,
  message: refusalWords[code],
  ...(first !== undefined && { first }),
  ...(user !== undefined && { user }),
})

const csvRow = (refusal: Refusal): string => {
  const row: Partial<Record<(typeof columns)[number], unknown>> = plain(refusal)
  return csvLine(
    columns.map((column) => (row[column] === undefined || row[column] === null ? null : String(row[column]))),
  )
}

/** Every refused row of an import and why. For its owner alone: it names users by their ids. */
export interface ImportReport {
  /** Writes at a position, over what an attempt that was not committed left there; where it ended. */
  write(refusals: Refusal[], at: number): Promise<number>
  /** Cuts off what is after the position. */
  close(at: number): Promise<void>
}

const heads = [csvLine([...columns]).trim(), '{"line":']

/** Whether the file begins as a report does. */
async function isReport(file: FileHandle): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(64), 0, 64, 0)
  return heads.some((head) => buffer.toString().startsWith(head))
}

/**
 * As CSV where the name says so, else a line of JSON for each refusal. What an interrupted import or an earlier dry run
 * left there is written over; nothing else is.
 */
export async function openReport(path: string, resumedAt: number, resumed: boolean): Promise<ImportReport> {
  const isCsv = path.endsWith('.csv')
  const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  const { size } = await file.stat()
  const fault =
    size < resumedAt
      ? 'is shorter than the interrupted import left it; give --report the file that it began'
      : size > 0 && !(resumed && (await isReport(file)))
        ? 'exists already; name another file with --report'
        : undefined
  if (fault) {
    await file.close()
    throw new Error(`${path} ${fault}`)
  }
  return {
    async write(refusals, at) {
      if (refusals.length === 0) return at
      const head = isCsv && at === 0 ? csvLine([...columns]) : ''
      const lines = refusals.map((each) => (isCsv ? csvRow(each) : `${JSON.stringify(plain(each))}\n`))
      const bytes = Buffer.from(head + lines.join(''))
      await file.write(bytes, 0, bytes.length, at)
      return at + bytes.length
    },
    async close(at) {
      await file.truncate(at)
      await file.sync()
      await file.close()
    },
  }
}
