/** What is edited, on which screen, in which light. */
export interface PreviewView {
  path: '/login' | '/user'
  screen: keyof typeof screens
  dark: boolean
}

/** In CSS pixels: a usual phone and a usual small laptop. */
export const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } } as const

interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Where in a box, and how large, a screen is shown: whole, never enlarged, in the middle and on whole pixels. */
export function placeIn(box: Box, { width, height }: { width: number; height: number }) {
  const scale = Math.max(0, Math.min(1, box.width / width, box.height / height))
  const start = (from: number, room: number, size: number) => Math.round(from + (room - size * scale) / 2) - from
  return { scale, left: start(box.left, box.width, width), top: start(box.top, box.height, height) }
}
