import { useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import type { Written } from '../compose/compose.tsx'

/** The key of a slash, also as Chinese keyboards write it. */
const isSlash = (text: string) => ['/', '／', '、'].includes(text)

/** What stands there as a reply: a lone slash is only the call for one that is kept ready. */
export const replyOf = (text: string) => (isSlash(text) ? '' : text)

/** A slash at the start of an empty reply. */
export function useSlash(written: string, onSlash: () => void) {
  const before = useRef(written)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed decides
  useEffect(() => {
    if (before.current === '' && isSlash(written)) onSlash()
    before.current = written
  }, [written])
}

/** Nothing was taken: the call for it goes too. */
export function dropSlash({ write, area }: Written) {
  if (isSlash(area.current?.value ?? '')) write('')
}

/** At the cursor, in place of what is marked; a lone slash was only the call for it. */
export function insertReply({ write, area: { current: area } }: Written, text: string) {
  if (!area) return
  const { value } = area
  const [start, end] = isSlash(value) ? [0, value.length] : [area.selectionStart, area.selectionEnd]
  flushSync(() => write(value.slice(0, start) + text + value.slice(end)))
  area.focus()
  area.setSelectionRange(start + text.length, start + text.length)
}
