import './config-pictures.css'
import { useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import type { Config } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { type PictureKey, pictureKeys } from './config-picture.api.ts'
import { PictureSlot } from './config-picture-slot.tsx'

interface Props {
  /** Of a config: it was when this was opened, and nothing but this changes it now. */
  text: string
  onChange: (key: PictureKey, path: string | undefined) => void
  onClose: () => void
}

/** The pictures that the text names; what is changed here is changed in the text, and saved with it. */
export function ConfigPictures({ text: config, onChange, onClose }: Props) {
  const text = useConfigText().pictures
  const lead = useRef<HTMLParagraphElement>(null)
  const named = JSON.parse(config) as Config
  return (
    <Modal title={text.title} look="brand-pictures" first={lead} onCancel={onClose}>
      <p ref={lead} tabIndex={-1}>
        {text.hint}
      </p>
      <ul>
        {pictureKeys.map((key) => (
          <PictureSlot key={key} slot={key} named={named[key]} onChange={(path) => onChange(key, path)} />
        ))}
      </ul>
      <div className="dialog-acts">
        <Button kind="quiet" onClick={onClose}>
          {text.done}
        </Button>
      </div>
    </Modal>
  )
}
