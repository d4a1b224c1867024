import { expect, test } from 'vitest'
import { placeIn, screens } from './config-preview-sizes.ts'

test('a screen with room stands at its own size, in the middle', () => {
  expect(placeIn({ left: 0, top: 60, width: 1400, height: 900 }, screens.desktop)).toEqual({
    scale: 1,
    left: 60,
    top: 50,
  })
})

test('one without is shown whole, as large as fits', () => {
  expect(placeIn({ left: 0, top: 0, width: 195, height: 800 }, screens.phone)).toEqual({
    scale: 0.5,
    left: 0,
    top: 189,
  })
  expect(placeIn({ left: 0, top: 0, width: 800, height: 422 }, screens.phone).scale).toBe(0.5)
})

test('it begins on a whole pixel of the window, wherever its box begins', () => {
  const box = { left: 8.4, top: 61.7, width: 1391.3, height: 877.9 }
  const { left, top, scale } = placeIn(box, screens.phone)
  expect(scale).toBe(1)
  expect([box.left + left, box.top + top].map((at) => Math.abs(at - Math.round(at)) < 1e-9)).toEqual([true, true])
})

test('a box that is not drawn has no room, and none below nothing', () => {
  expect(placeIn({ left: 0, top: 0, width: 0, height: 0 }, screens.phone).scale).toBe(0)
})
