import { pages } from '@hufu/contract/pages'
import { CloudOff } from 'lucide-react'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/waiting.tsx'
import { useConfigText } from '../config.text.ts'
import { type PreviewView, placeIn, screens } from './config-preview-sizes.ts'
import type { PreviewWish } from './preview-messages.ts'
import { usePreviewTalk } from './use-preview-talk.ts'

interface Props {
  wish: PreviewWish
  screen: PreviewView['screen']
}

/** The real page in a document of its own, as large as there is room. */
export function PreviewFrame(props: Props) {
  const [round, setRound] = useState(0)
  return <Round key={round} {...props} onAgain={() => setRound(round + 1)} />
}

function Round({ wish, screen, onAgain }: Props & { onAgain: () => void }) {
  const text = useConfigText().preview
  const stage = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  const { ready, waiting, lost } = usePreviewTalk(frame, wish)
  const { scale, left, top } = usePosition(stage, screen)
  const { width, height } = screens[screen]
  // At its own size it is left alone: even a scale of 1 may draw letters differently.
  const transform = scale === 1 ? 'none' : `scale(${scale})`
  return (
    <div className={`preview-stage ${screen}`} ref={stage}>
      {lost && <Lost onAgain={onAgain} />}
      {waiting && !lost && <Spinner label={text.waiting} />}
      <div
        className={`preview-device ${screen}`}
        hidden={lost}
        style={{ left, top, width: width * scale, height: height * scale }}
      >
        <iframe
          ref={frame}
          src={pages.preview}
          title={text.titles[wish.path]}
          tabIndex={-1}
          data-ready={ready}
          style={{ width, height, transform, visibility: waiting ? 'hidden' : 'visible' }}
        />
      </div>
    </div>
  )
}

function Lost({ onAgain }: { onAgain: () => void }) {
  const text = useConfigText()
  return (
    <div className="preview-lost" role="alert">
      <CloudOff />
      <p>{text.preview.lost}</p>
      <Button kind="soft" onClick={onAgain}>
        {text.tryAgain}
      </Button>
    </div>
  )
}

/** Where the screen stands in the stage, now and whenever there is more or less room. */
function usePosition(stage: RefObject<HTMLDivElement | null>, screen: PreviewView['screen']) {
  const [position, setPosition] = useState({ scale: 0, left: 0, top: 0 })
  useLayoutEffect(() => {
    const box = stage.current
    if (!box) return
    const measure = () => setPosition(placeIn(box.getBoundingClientRect(), screens[screen]))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    return () => observer.disconnect()
  }, [stage, screen])
  return position
}
