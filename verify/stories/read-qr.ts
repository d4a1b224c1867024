import type { Locator } from '@playwright/test'
import jsQR from 'jsqr'

type Rows = boolean[][]

/** The level of error correction stands in the first two of the fifteen format bits; jsQR doesn't report it. */
function levelOf(rows: Rows): string | undefined {
  const bits = (Number(rows[8]?.[0]) << 1) | Number(rows[8]?.[1])
  return 'MLHQ'[bits ^ 0b10]
}

/** Pixels a module: the detector needs some. */
const scale = 4

/** Level and text of a code whose margin is so many modules wide. */
export function readQr(withMargin: Rows, margin: number): { level: string | undefined; text: string } {
  const side = withMargin.length * scale
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (withMargin[Math.floor(y / scale)]?.[Math.floor(x / scale)])
        pixels.fill(0, (y * side + x) * 4, (y * side + x) * 4 + 3)
  const found = jsQR.default(pixels, side, side)
  if (!found) throw new Error('no QR code was found')
  const rows = withMargin.slice(margin, -margin).map((row) => row.slice(margin, -margin))
  return { level: levelOf(rows), text: found.data }
}

/** What a camera would read from a code on a page. */
export async function scanQr(code: Locator): Promise<{ level: string | undefined; text: string }> {
  const { size, path } = await code.evaluate((svg) => ({
    size: Number(svg.getAttribute('viewBox')?.split(' ')[2]),
    path: svg.lastElementChild?.getAttribute('d') ?? '',
  }))
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\d+z/g)) {
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
  }
  return readQr(rows, 2)
}
