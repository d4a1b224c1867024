import './pictures-viewer.css'
import type { FeedbackPicture } from '@hufu/contract/feedback'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { ChevronLeft, ChevronRight, ImageOff, Maximize2, Minimize2, X } from 'lucide-react'
import { type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/waiting.tsx'
import { useFeedbackText } from '../feedback.text.ts'
import type { Shown } from './pictures-shown.ts'

/** Pictures over everything else, side by side: swiped, or moved by arrows and keys. Esc and going back close it. */
export default function PictureViewer({ pictures, first, onClose }: Shown & { onClose: () => void }) {
  const text = useFeedbackText().pictures
  const dialog = useRef<HTMLDialogElement>(null)
  const close = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    close.current?.focus()
    return () => shown?.close()
  }, [])
  const { track, at, go, onScroll } = useTrack(first, pictures.length)
  const [whole, setWhole] = useState(false)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    go(at + step)
  }
  return (
    <dialog ref={dialog} className="viewer" aria-label={text.viewer} onCancel={onClose} onKeyDown={onKeyDown}>
      <div className="viewer-bar">
        <span aria-live="polite">{text.one(at + 1, pictures.length)}</span>
        <IconButton label={whole ? text.fitted : text.whole} onClick={() => setWhole(!whole)}>
          {whole ? <Minimize2 /> : <Maximize2 />}
        </IconButton>
        <IconButton ref={close} label={text.close} onClick={onClose}>
          <X />
        </IconButton>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <div ref={track} className={whole ? 'viewer-track whole' : 'viewer-track'} tabIndex={0} onScroll={onScroll}>
        {pictures.map((picture, index) => (
          <Slide
            key={picture.id}
            picture={picture}
            name={text.one(index + 1, pictures.length)}
            current={index === at}
            onClose={onClose}
          />
        ))}
      </div>
      <div className="viewer-steps">
        <IconButton label={text.previous} disabled={at === 0} onClick={() => go(at - 1)}>
          <ChevronLeft />
        </IconButton>
        <IconButton label={text.next} disabled={at === pictures.length - 1} onClick={() => go(at + 1)}>
          <ChevronRight />
        </IconButton>
      </div>
    </dialog>
  )
}

/** Swiping is native scrolling; the visible picture follows from the scroll position. */
function useTrack(first: number, many: number) {
  const track = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(first)
  // Only what is shown has a width.
  useLayoutEffect(() => {
    const shown = track.current
    shown?.scrollTo({ left: first * shown.clientWidth, behavior: 'instant' })
  }, [first])
  const go = (to: number) => {
    const shown = track.current
    if (!shown || to < 0 || to >= many) return
    shown.scrollTo({ left: to * shown.clientWidth })
    setAt(to)
  }
  const onScroll = () => {
    const shown = track.current
    if (shown?.clientWidth) setAt(Math.round(shown.scrollLeft / shown.clientWidth))
  }
  return { track, at, go, onScroll }
}

interface SlideProps {
  picture: FeedbackPicture
  name: string
  current: boolean
  onClose: () => void
}

function Slide({ picture, name, current, onClose }: SlideProps) {
  const text = useFeedbackText()
  const [state, setState] = useState<'loading' | 'there' | 'failed'>('loading')
  const { id, width, height } = picture
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes it with Esc, which the browser handles
    // biome-ignore lint/a11y/noStaticElementInteractions: a tap beside the picture is a convenience alone
    <div
      className="viewer-slide"
      inert={!current}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      {state === 'loading' && <Spinner label={text.pictures.loading} />}
      {state === 'failed' ? (
        <div className="viewer-failed">
          <ImageOff />
          <p>{text.pictures.broken}</p>
          <Button kind="quiet" onClick={() => setState('loading')}>
            {text.tryAgain}
          </Button>
        </div>
      ) : (
        <img
          src={feedbackPicturePath(id)}
          alt={name}
          width={width}
          height={height}
          draggable={false}
          onLoad={() => setState('there')}
          onError={() => setState('failed')}
        />
      )}
    </div>
  )
}
