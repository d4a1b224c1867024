import type { FeedbackEntry, FeedbackPicture } from '@hufu/contract/feedback'
import { lazy, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { networkError } from '../../../lib/call/call.ts'
import { showToast } from '../../../ui/toast.tsx'

const loadViewer = () => import('./pictures-viewer.tsx')
export const PictureViewer = lazy(loadViewer)

/** The pictures of one message, and with which to begin. */
export interface Shown {
  pictures: FeedbackPicture[]
  first: number
}

function find(entries: FeedbackEntry[], id: string | undefined): Shown | undefined {
  for (const { pictures = [] } of entries) {
    const first = pictures.findIndex((picture) => picture.id === id)
    if (first >= 0) return { pictures, first }
  }
  return undefined
}

/** Which picture is open. It has its own history entry, so that going back closes it on phones. */
export function useShownPicture(entries: FeedbackEntry[]) {
  const { pathname, search, state } = useLocation()
  const navigate = useNavigate()
  const closing = useRef(false)
  const show = (picture: string) => {
    closing.current = false
    loadViewer().then(
      () => navigate({ pathname, search }, { state: { picture } }),
      () => showToast('bad', networkError.message),
    )
  }
  // Twice would leave the page.
  const close = () => {
    if (!closing.current) void navigate(-1)
    closing.current = true
  }
  return { shown: find(entries, (state as { picture?: string } | null)?.picture), show, close }
}
