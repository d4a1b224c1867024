import { once } from 'node:events'
import { crc32, createDeflateRaw } from 'node:zlib'

/** A file as it lies in an archive. */
export interface Packed {
  name: string
  crc: number
  size: number
  method: 'stored' | 'deflated'
  bytes: Buffer
}

/** Text that comes piece by piece and is compressed on its way. */
export interface TextFile {
  write(text: string): Promise<void>
  close(): Promise<Packed>
}

export function textFile(name: string): TextFile {
  const deflate = createDeflateRaw()
  const chunks: Buffer[] = []
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk))
  let crc = 0
  let size = 0
  return {
    async write(text) {
      const bytes = Buffer.from(text)
      crc = crc32(bytes, crc)
      size += bytes.length
      if (!deflate.write(bytes)) await once(deflate, 'drain')
    },
    async close() {
      deflate.end()
      await once(deflate, 'end')
      return { name, crc, size, method: 'deflated', bytes: Buffer.concat(chunks) }
    },
  }
}

/** What is compressed already. */
export const storedFile = (name: string, bytes: Buffer): Packed => ({
  name,
  crc: crc32(bytes),
  size: bytes.length,
  method: 'stored',
  bytes,
})

const methods = { stored: 0, deflated: 8 }
const version = 20
/** Names are UTF-8. */
const flags = 1 << 11

/** What a file's own header and its line in the directory have in common; the clock is China's, as archives know no zones. */
function headOf({ name, crc, size, method, bytes }: Packed, time: Date): Buffer {
  const local = new Date(time.getTime() + 8 * 3_600_000)
  const head = Buffer.alloc(26)
  head.writeUInt16LE(version, 0)
  head.writeUInt16LE(flags, 2)
  head.writeUInt16LE(methods[method], 4)
  head.writeUInt16LE((local.getUTCHours() << 11) | (local.getUTCMinutes() << 5) | (local.getUTCSeconds() >> 1), 6)
  head.writeUInt16LE(((local.getUTCFullYear() - 1980) << 9) | ((local.getUTCMonth() + 1) << 5) | local.getUTCDate(), 8)
  head.writeUInt32LE(crc, 10)
  head.writeUInt32LE(bytes.length, 14)
  head.writeUInt32LE(size, 18)
  head.writeUInt16LE(Buffer.byteLength(name), 22)
  return head
}

const signed = (signature: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(signature)
  return bytes
}

/** The directory entry: maker, head, no comment, no attributes, and the file's offset. */
function lineOf(file: Packed, time: Date, offset: number): Buffer {
  const madeBy = Buffer.alloc(2)
  madeBy.writeUInt16LE(version)
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  return Buffer.concat([signed(0x02014b50), madeBy, headOf(file, time), rest, Buffer.from(file.name)])
}

/** The whole archive: each file after its header, then the directory and where it is. */
export function zipOf(files: Packed[], time: Date): Buffer {
  const parts: Buffer[] = []
  const lines: Buffer[] = []
  let offset = 0
  for (const file of files) {
    lines.push(lineOf(file, time, offset))
    const part = Buffer.concat([signed(0x04034b50), headOf(file, time), Buffer.from(file.name), file.bytes])
    parts.push(part)
    offset += part.length
  }
  const directory = Buffer.concat(lines)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, directory, signed(0x06054b50), end])
}
