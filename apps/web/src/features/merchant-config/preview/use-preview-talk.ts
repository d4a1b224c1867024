import { type RefObject, useEffect, useRef, useState } from 'react'
import type { FromPreview, PreviewWish, ToPreview } from './preview-messages.ts'

/** The timeout after which the preview counts as lost. */
const patienceMs = 15_000

/** Posts to the preview frame what to show, and receives what was rendered. */
export function usePreviewTalk(frame: RefObject<HTMLIFrameElement | null>, wish: PreviewWish) {
  const [openings, setOpenings] = useState(0)
  const [drawn, setDrawn] = useState<PreviewWish>()
  const [lost, setLost] = useState(false)
  const sent = useRef<PreviewWish[]>([])

  useEffect(() => {
    const receive = ({ origin, source, data }: MessageEvent<FromPreview>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return
      if (data.kind === 'preview-open') setOpenings((before) => before + 1)
      if (data.kind === 'preview-drawn') setDrawn(sent.current[data.number])
    }
    window.addEventListener('message', receive)
    return () => window.removeEventListener('message', receive)
  }, [frame])

  useEffect(() => {
    if (openings === 0) return
    const number = sent.current.push(wish) - 1
    const message: ToPreview = { kind: 'preview-show', number, wish }
    frame.current?.contentWindow?.postMessage(message, location.origin)
  }, [frame, openings, wish])

  const waiting = drawn === undefined
  useEffect(() => {
    if (!waiting) return
    const timer = setTimeout(() => setLost(true), patienceMs)
    return () => clearTimeout(timer)
  }, [waiting])

  return { ready: drawn === wish, waiting, lost: lost && waiting }
}
