export interface Size {
  width: number
  height: number
}

/** The square that is kept, in pixels of the picture. */
export interface Crop {
  x: number
  y: number
  side: number
}

export interface Point {
  x: number
  y: number
}

export const zoomMost = 5

const shortEdge = ({ width, height }: Size) => Math.min(width, height)
const between = (least: number, value: number, most: number) => Math.min(Math.max(value, least), most)

/** The square never leaves the picture. */
const inside = ({ width, height }: Size, { x, y, side }: Crop): Crop => ({
  x: between(0, x, width - side),
  y: between(0, y, height - side),
  side,
})

/** As much of the middle as there is. */
export function firstCrop(picture: Size): Crop {
  const side = shortEdge(picture)
  return { x: (picture.width - side) / 2, y: (picture.height - side) / 2, side }
}

/** 1 while the square is as large as it can be. */
export const zoomOf = (picture: Size, { side }: Crop): number => shortEdge(picture) / side

/** The picture moves under the square by parts of the square's side. */
export function moveCrop(picture: Size, { x, y, side }: Crop, by: Point): Crop {
  return inside(picture, { x: x - by.x * side, y: y - by.y * side, side })
}

const middle: Point = { x: 0.5, y: 0.5 }

/** What lies at a point of the square stays there, as far as the picture's edges allow. */
export function zoomCrop(picture: Size, crop: Crop, zoom: number, at = middle): Crop {
  const side = shortEdge(picture) / between(1, zoom, zoomMost)
  const shrunk = crop.side - side
  return inside(picture, { x: crop.x + at.x * shrunk, y: crop.y + at.y * shrunk, side })
}

/** The middle of the fingers and how far they are apart; one finger is never apart. */
export function gripOf(fingers: Point[]): Point & { spread: number } {
  const [first = middle, second = first] = fingers
  return {
    x: (first.x + second.x) / 2,
    y: (first.y + second.y) / 2,
    spread: Math.hypot(first.x - second.x, first.y - second.y),
  }
}

type Grip = ReturnType<typeof gripOf>

/** What was under the fingers stays under them. Grips are in parts of the square's side. */
export function dragCrop(picture: Size, crop: Crop, from: Grip, to: Grip): Crop {
  const moved = moveCrop(picture, crop, { x: to.x - from.x, y: to.y - from.y })
  if (from.spread === 0 || to.spread === 0) return moved
  return zoomCrop(picture, moved, zoomOf(picture, moved) * (to.spread / from.spread), to)
}
