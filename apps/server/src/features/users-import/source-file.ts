import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { FileFormat } from './read-batches.ts'

/** Of the content, and of what decides the meaning of a row. */
export async function fingerprintOf(
  file: FileHandle,
  format: FileFormat,
  prefixes: readonly string[],
): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify([format, prefixes]))
  // A stream of the handle would hold it open beyond its end.
  const chunk = Buffer.allocUnsafe(1 << 20)
  for (let offset = 0; ; ) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, offset)
    if (bytesRead === 0) return hash.digest()
    hash.update(chunk.subarray(0, bytesRead))
    offset += bytesRead
  }
}

/** An edit in place would mix two files. */
export async function watchFile(file: FileHandle): Promise<() => Promise<void>> {
  const began = await file.stat()
  return async () => {
    const { size, mtimeMs } = await file.stat()
    if (size !== began.size || mtimeMs !== began.mtimeMs) throw new Error('the file was changed while it was read')
  }
}
