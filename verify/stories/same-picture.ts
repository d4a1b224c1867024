import sharp from 'sharp'

/** Letters may be smoothed a little differently; more than this of a colour (of 255) is another colour. */
const tolerance = 16

/** What part of a picture's pixels have another colour in the other; all of them where the sizes differ. */
export async function differing(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all(
    [one, other].map((png) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  )
  if (!a || !b || a.info.width !== b.info.width || a.info.height !== b.info.height) return 1
  let count = 0
  for (let at = 0; at < a.data.length; at += 3) {
    const differs = [0, 1, 2].some(
      (channel) => Math.abs((a.data[at + channel] ?? 0) - (b.data[at + channel] ?? 0)) > tolerance,
    )
    if (differs) count++
  }
  return (count * 3) / a.data.length
}
