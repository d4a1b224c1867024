import type { FileHandle } from 'node:fs/promises'

/** A record as it is in the file. */
export interface FileRecord {
  /** The line that it begins on, from 1. */
  line: number
  /** After it: bytes and lines of the file. */
  end: { bytes: number; lines: number }
  /** Without the end of the line; undefined where it is too long or no UTF-8. */
  text: string | undefined
  fault?: 'LINE_TOO_LONG' | 'NOT_UTF8'
}

export interface ReadFrom {
  bytes: number
  lines: number
}

/** A record of a user takes a few hundred bytes. */
export const mostBytes = 65_536
const chunkBytes = 1 << 20

const newline = 0x0a
const quote = 0x22
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What makes the rest of the file unreadable. */
export class BrokenFile extends Error {}

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1)) count++
  return count
}

function textOf(bytes: Buffer): Pick<FileRecord, 'text' | 'fault'> {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length
  try {
    return { text: utf8.decode(bytes.subarray(0, end)) }
  } catch {
    return { text: undefined, fault: 'NOT_UTF8' }
  }
}

/** Lines one after the other, none held beyond `mostBytes`: undefined stands for the bytes of a longer one. */
async function* readLines(
  file: FileHandle,
  from: number,
): AsyncGenerator<{ bytes: Buffer | undefined; quotes: number; end: number }> {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  let kept = Buffer.alloc(0)
  let dropped = false
  let quotes = 0
  let offset = from
  let ended = from
  /** Of what is dropped only the number of quotes is known: whether a quoted field is open. */
  function drop() {
    dropped = true
    quotes += countQuotes(kept)
    kept = Buffer.alloc(0)
  }
  const whole = (last: Buffer) => (dropped ? undefined : Buffer.concat([kept, last]))
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, offset)
    if (bytesRead === 0) break
    const read = chunk.subarray(0, bytesRead)
    let start = 0
    for (let at = read.indexOf(newline); at >= 0; at = read.indexOf(newline, start)) {
      const part = read.subarray(start, at)
      if (kept.length + part.length > mostBytes) drop()
      ended = offset + at + 1
      yield { bytes: whole(part), quotes: quotes + (dropped ? countQuotes(part) : 0), end: ended }
      kept = Buffer.alloc(0)
      dropped = false
      quotes = 0
      start = at + 1
    }
    const rest = read.subarray(start)
    if (kept.length + rest.length > mostBytes) drop()
    if (dropped) quotes += countQuotes(rest)
    else kept = Buffer.concat([kept, rest])
    offset += bytesRead
  }
  if (offset > ended) yield { bytes: whole(Buffer.alloc(0)), quotes, end: offset }
}

/** Each line is a record. */
export async function* readJsonRecords(file: FileHandle, from: ReadFrom): AsyncGenerator<FileRecord> {
  let { lines } = from
  for await (const { bytes, end } of readLines(file, from.bytes)) {
    lines++
    const read = bytes ? textOf(bytes) : { text: undefined, fault: 'LINE_TOO_LONG' as const }
    yield { line: lines, end: { bytes: end, lines }, ...read }
  }
}

interface Open {
  line: number
  parts: Buffer[]
  size: number
}
const lineEnd = Buffer.from('\n')

/**
 * A quoted field may contain line ends. One that is open for longer than a record may be is no slip of one row: where
 * the next record begins can't be known then, and a guess would read a user's text as a row.
 */
export async function* readCsvRecords(file: FileHandle, from: ReadFrom): AsyncGenerator<FileRecord> {
  let { lines } = from
  let open: Open | undefined
  const broken = (line: number) =>
    new BrokenFile(`line ${line}: a quoted field does not end; nothing from this line on was read`)
  for await (const { bytes, quotes, end } of readLines(file, from.bytes)) {
    lines++
    const odd = (bytes ? countQuotes(bytes) : quotes) % 2 === 1
    if (!bytes && (open || odd)) throw broken(open?.line ?? lines)
    if (!bytes) {
      yield { line: lines, end: { bytes: end, lines }, text: undefined, fault: 'LINE_TOO_LONG' }
      continue
    }
    const goesOn = odd === (open === undefined)
    if (open) open.parts.push(lineEnd)
    const record: Open = open ?? { line: lines, parts: [], size: 0 }
    record.parts.push(bytes)
    record.size += bytes.length + 1
    if (goesOn && record.size > mostBytes) throw broken(record.line)
    open = goesOn ? record : undefined
    if (!goesOn) yield { line: record.line, end: { bytes: end, lines }, ...textOf(Buffer.concat(record.parts)) }
  }
  if (open) throw broken(open.line)
}
