import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import type { Side } from '../conversation/talk.ts'
import { handOver } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { leavePictures, tryFailedAgain } from './pictures-sending.ts'
import { createPictures } from './pictures-slots.ts'

/** The pictures that are added to what is being written. */
export function usePictures(draft: string, side: Side) {
  const text = useFeedbackText().pictures
  const [pictures] = useState(() => createPictures({ draft, handOver: handOver(side), text }))
  useEffect(() => {
    const onOnline = () => tryFailedAgain(pictures)
    window.addEventListener('online', onOnline)
    return () => {
      window.removeEventListener('online', onOnline)
      leavePictures(pictures)
    }
  }, [pictures])
  return { pictures, ...useStore(pictures.store) }
}
