import { describe, expect, test } from 'vitest'
import { dragCrop, firstCrop, gripOf, moveCrop, zoomCrop, zoomMost, zoomOf } from './crop.ts'

const wide = { width: 400, height: 200 }

describe('crop', () => {
  test.each([
    [wide, { x: 100, y: 0, side: 200 }],
    [
      { width: 200, height: 400 },
      { x: 0, y: 100, side: 200 },
    ],
    [
      { width: 3, height: 3 },
      { x: 0, y: 0, side: 3 },
    ],
  ])('of %j starts with as much of the middle as there is', (size, crop) => expect(firstCrop(size)).toEqual(crop))

  test('the picture follows the finger, and the square never leaves it', () => {
    const crop = firstCrop(wide)
    expect(moveCrop(wide, crop, { x: 0.25, y: 0.5 })).toEqual({ x: 50, y: 0, side: 200 })
    expect(moveCrop(wide, crop, { x: 9, y: 9 })).toEqual({ x: 0, y: 0, side: 200 })
    expect(moveCrop(wide, crop, { x: -9, y: -9 })).toEqual({ x: 200, y: 0, side: 200 })
  })
  test('zooming keeps the middle, or the given point, where it is', () => {
    const crop = firstCrop(wide)
    expect(zoomCrop(wide, crop, 2)).toEqual({ x: 150, y: 50, side: 100 })
    expect(zoomCrop(wide, crop, 2, { x: 0, y: 1 })).toEqual({ x: 100, y: 100, side: 100 })
  })
  test('zoom stays between the whole and the most', () => {
    const crop = firstCrop(wide)
    expect(zoomOf(wide, zoomCrop(wide, crop, 99))).toBe(zoomMost)
    expect(zoomOf(wide, zoomCrop(wide, crop, 0.1))).toBe(1)
    expect(zoomCrop(wide, { x: 300, y: 100, side: 100 }, 1)).toEqual({ x: 200, y: 0, side: 200 })
  })
  test('one finger moves, two also zoom by how far they part', () => {
    const crop = zoomCrop(wide, firstCrop(wide), 2)
    const one = gripOf([{ x: 0.5, y: 0.5 }])
    expect(dragCrop(wide, crop, one, gripOf([{ x: 0.6, y: 0.5 }]))).toEqual({ x: 140, y: 50, side: 100 })
    const near = gripOf([
      { x: 0.4, y: 0.5 },
      { x: 0.6, y: 0.5 },
    ])
    const apart = gripOf([
      { x: 0.3, y: 0.5 },
      { x: 0.7, y: 0.5 },
    ])
    const { x, y, side } = dragCrop(wide, crop, near, apart)
    expect([x, y, side].map(Math.round)).toEqual([175, 75, 50])
    // A second finger that comes down changes nothing by itself.
    expect(dragCrop(wide, crop, one, { ...one, spread: 0.3 })).toEqual(crop)
  })
})
