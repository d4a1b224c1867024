import type { Page } from '@playwright/test'

const pictureOf = (number: number, width: number, height: number) => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  width,
  height,
})
export const shots = [
  pictureOf(1, 720, 1_560),
  pictureOf(2, 1_600, 900),
  pictureOf(3, 900, 900),
  pictureOf(4, 1_200, 1_600),
  pictureOf(5, 800, 600),
]

/** A picture that a user might send, in a given colour. */
function drawn({ id, width, height }: ReturnType<typeof pictureOf>) {
  const hue = Number(id.at(-1)) * 67
  const rows = Array.from({ length: 7 }, (_, row) => {
    const y = height * (0.2 + row * 0.1)
    return `<rect x="${width * 0.1}" y="${y}" width="${width * (0.4 + ((row * 3) % 5) / 12)}" height="${height * 0.05}" rx="9" fill="hsl(${hue} 40% 80%)"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="hsl(${hue} 45% 93%)"/><rect width="100%" height="12%" fill="hsl(${hue} 45% 60%)"/>${rows.join('')}</svg>`
}

/** Pictures as the server would give them, and a server that takes some, refuses one and is slow with the next. */
export async function withPictures(page: Page) {
  await page.route('**/api/feedback/picture?id=*', (route) => {
    const shot = shots.find(({ id }) => route.request().url().endsWith(id))
    return shot ? route.fulfill({ contentType: 'image/svg+xml', body: drawn(shot) }) : route.abort()
  })
  let handed = 0
  await page.route('**/feedback/picture', (route) => {
    handed += 1
    if (handed === 3) return route.abort()
    // They go up in turn: whatever came after this one would wait.
    if (handed === 4) return new Promise(() => undefined)
    return route.fulfill({ json: { data: shots[handed - 1] } })
  })
}

/** Chosen as files: drawn by the page itself. */
export async function choosePictures(page: Page) {
  const files = await page.evaluate(
    async (colours) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 300 })
      const brush = canvas.getContext('2d')
      return colours.map((colour) => {
        if (brush) brush.fillStyle = colour
        brush?.fillRect(0, 0, 400, 300)
        return canvas.toDataURL('image/png').split(',')[1] ?? ''
      })
    },
    ['#8fb4e8', '#e8c38f', '#a7d7a0', '#d7a0c8'],
  )
  const named = files.map((data, index) => ({
    name: `${index}.png`,
    mimeType: 'image/png',
    buffer: Buffer.from(data, 'base64'),
  }))
  await page.locator('input[type=file]').setInputFiles(named)
  await page.locator('.thumb.failed').waitFor()
}
