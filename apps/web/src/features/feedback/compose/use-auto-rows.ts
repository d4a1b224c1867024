import { type RefObject, useLayoutEffect } from 'react'

/** As many rows as the text needs, within bounds. */
export function useAutoRows(area: RefObject<HTMLTextAreaElement | null>, text: string, least: number, most: number) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the text that makes it grow
  useLayoutEffect(() => {
    const drawn = area.current
    if (!drawn) return
    drawn.rows = least
    const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(drawn)
    const rest = Number.parseFloat(paddingTop) + Number.parseFloat(paddingBottom)
    const needed = Math.ceil((drawn.scrollHeight - rest) / Number.parseFloat(lineHeight) - 0.1)
    drawn.rows = Math.min(most, Math.max(least, needed || 0))
  }, [area, text, least, most])
}
