import { crc32, inflateRawSync } from 'node:zlib'

/** The files of an archive by their names, read through its directory; throws where one isn't what the directory says. */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - 22
  if (archive.readUInt32LE(end) !== 0x06054b50) throw new Error('no end of a directory')
  const files = new Map<string, Buffer>()
  let line = archive.readUInt32LE(end + 16)
  for (let count = archive.readUInt16LE(end + 10); count > 0; count--) {
    if (archive.readUInt32LE(line) !== 0x02014b50) throw new Error('no line of a directory')
    const nameLength = archive.readUInt16LE(line + 28)
    const name = archive.subarray(line + 46, line + 46 + nameLength).toString()
    const file = fileAt(archive, archive.readUInt32LE(line + 42), archive.readUInt32LE(line + 20))
    if (crc32(file) !== archive.readUInt32LE(line + 16)) throw new Error(`${name} is broken`)
    if (file.length !== archive.readUInt32LE(line + 24)) throw new Error(`${name} is of another size`)
    files.set(name, file)
    line += 46 + nameLength
  }
  return files
}

function fileAt(archive: Buffer, offset: number, length: number): Buffer {
  if (archive.readUInt32LE(offset) !== 0x04034b50) throw new Error('no header of a file')
  const begin = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
  const bytes = archive.subarray(begin, begin + length)
  return archive.readUInt16LE(offset + 8) === 0 ? bytes : inflateRawSync(bytes)
}
