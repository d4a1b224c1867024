import './config-preview.css'
import { Maximize2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Spinner } from '../../../ui/waiting.tsx'
import { useConfigText } from '../config.text.ts'
import { PreviewControls } from './config-preview-controls.tsx'
import { PreviewFrame } from './config-preview-frame.tsx'
import type { PreviewView } from './config-preview-sizes.ts'
import type { PreviewWish } from './preview-messages.ts'
import { type ConfigPreviewing, usePreviewWish } from './use-config-preview.ts'

interface Props {
  previewing: ConfigPreviewing
  view: PreviewView
  onView: (view: PreviewView) => void
}

/** The pages as the text would make them, before anything is saved. */
export function ConfigPreview({ previewing, view, onView }: Props) {
  const text = useConfigText().preview
  const [large, setLarge] = useState(false)
  const wish = usePreviewWish(previewing.meta, view)
  return (
    <section className="card preview" aria-label={text.title}>
      <header>
        <PreviewControls view={view} onView={onView} />
        <IconButton
          label={text.enlarge}
          title={text.enlarge}
          aria-haspopup="dialog"
          onClick={() => setLarge(wish !== undefined)}
        >
          <Maximize2 />
        </IconButton>
      </header>
      <div className="preview-ground">
        <Trouble previewing={previewing} />
        {wish && !large ? (
          <PreviewFrame wish={wish} screen={view.screen} />
        ) : (
          <Nothing previewing={previewing} screen={view.screen} />
        )}
      </div>
      {large && wish && <Large wish={wish} view={view} onView={onView} onClose={() => setLarge(false)} />}
    </section>
  )
}

/** Why what is seen isn't what is written. */
function Trouble({ previewing: { meta, faulty, trouble, tryAgain } }: Pick<Props, 'previewing'>) {
  const text = useConfigText()
  return (
    <div className="preview-trouble" role="status">
      {faulty && <Notice kind="warn">{meta ? text.preview.former : text.preview.faulty}</Notice>}
      {trouble !== undefined && !faulty && (
        <Notice kind="bad">
          {trouble}
          <Button kind="text" onClick={tryAgain}>
            {text.tryAgain}
          </Button>
        </Notice>
      )}
    </div>
  )
}

/** The room of the preview without one. */
function Nothing({
  previewing: { meta, faulty, trouble },
  screen,
}: Pick<Props, 'previewing'> & Pick<PreviewView, 'screen'>) {
  const text = useConfigText().preview
  const waiting = !meta && !faulty && trouble === undefined
  return <div className={`preview-stage ${screen}`}>{waiting && <Spinner label={text.waiting} />}</div>
}

interface LargeProps extends Omit<Props, 'previewing'> {
  wish: PreviewWish
  onClose: () => void
}

/** The whole window for the preview: where it is large enough, every pixel as users will see it. */
function Large({ wish, view, onView, onClose }: LargeProps) {
  const text = useConfigText()
  const close = useRef<HTMLButtonElement>(null)
  return (
    <Modal title={text.preview.title} look="preview-large" first={close} onCancel={onClose}>
      <PreviewControls view={view} onView={onView} />
      <IconButton ref={close} label={text.close} onClick={onClose}>
        <X />
      </IconButton>
      <PreviewFrame wish={wish} screen={view.screen} />
    </Modal>
  )
}
