// Reads a QR code without damage from its modules, by the rules of ISO/IEC 18004 and nothing of the encoder's.
type Rows = boolean[][]

/** By version from 1: error correction codewords a block, blocks, and centres of alignment patterns, all of level H. */
const versions: [number, number, number[]][] = [
  [17, 1, []],
  [28, 1, [6, 18]],
  [22, 2, [6, 22]],
  [16, 4, [6, 26]],
  [22, 4, [6, 30]],
  [28, 4, [6, 34]],
  [26, 5, [6, 22, 38]],
  [26, 6, [6, 24, 42]],
  [24, 8, [6, 26, 46]],
  [28, 8, [6, 28, 50]],
  [24, 11, [6, 30, 54]],
  [28, 11, [6, 32, 58]],
]

const masks: ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
]

/** Level and mask, from the fifteen bits beside the upper left corner. */
function formatOf(rows: Rows): { level: string | undefined; mask: number } {
  const at = (x: number, y: number) => Number(rows[y]?.[x])
  let bits = 0
  for (let i = 14; i >= 0; i--) {
    const bit = i < 6 ? at(8, i) : i === 6 ? at(8, 7) : i === 7 ? at(8, 8) : i === 8 ? at(7, 8) : at(14 - i, 8)
    bits = (bits << 1) | bit
  }
  const data = (bits ^ 0x5412) >> 10
  return { level: 'MLHQ'[data >> 3], mask: data & 7 }
}

function isPattern(x: number, y: number, size: number, version: number, centres: number[]): boolean {
  const corner = (y < 9 && (x < 9 || x >= size - 8)) || (y >= size - 8 && x < 9)
  const number = version >= 7 && ((y < 6 && x >= size - 11) || (x < 6 && y >= size - 11))
  const last = size - 7
  const aligned = centres.some((cy) =>
    centres.some((cx) => {
      const atFinder = (cx === 6 && cy === 6) || (cx === 6 && cy === last) || (cx === last && cy === 6)
      return !atFinder && Math.abs(x - cx) <= 2 && Math.abs(y - cy) <= 2
    }),
  )
  return corner || number || aligned || x === 6 || y === 6
}

/** The bytes in the order in which they stand in the code, two columns at a time from the right. */
function codewordsOf(rows: Rows, mask: number, version: number, centres: number[]): number[] {
  const size = rows.length
  const bits: number[] = []
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        if (isPattern(x, y, size, version, centres)) continue
        bits.push(Number(rows[y]?.[x]) ^ Number(masks[mask]?.(x, y) === 0))
      }
    }
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, byte) =>
    Number.parseInt(bits.slice(byte * 8, byte * 8 + 8).join(''), 2),
  )
}

/** Level and text of a code whose margin is so many modules wide. */
export function readQr(withMargin: Rows, margin: number): { level: string | undefined; text: string } {
  const rows = withMargin.slice(margin, -margin).map((row) => row.slice(margin, -margin))
  const version = (rows.length - 17) / 4
  const [correction, blocks, centres] = versions[version - 1] ?? [0, 1, []]
  const { level, mask } = formatOf(rows)
  const words = codewordsOf(rows, mask, version, centres)
  const short = Math.floor(words.length / blocks) - correction
  const longBlocks = words.length % blocks
  const lengthOf = (block: number) => short + (block >= blocks - longBlocks ? 1 : 0)
  const data = Array.from({ length: blocks }, () => [] as number[])
  let next = 0
  for (let i = 0; i <= short; i++) {
    for (let block = 0; block < blocks; block++) if (i < lengthOf(block)) data[block]?.push(words[next++] ?? 0)
  }
  const bits = data
    .flat()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
  if (!bits.startsWith('0100')) throw new Error('the code holds something else than bytes')
  const wide = version < 10 ? 8 : 16
  const count = Number.parseInt(bits.slice(4, 4 + wide), 2)
  const start = 4 + wide
  const bytes = Array.from({ length: count }, (_, i) =>
    Number.parseInt(bits.slice(start + i * 8, start + i * 8 + 8), 2),
  )
  return { level, text: Buffer.from(bytes).toString('utf8') }
}
