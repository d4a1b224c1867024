import './crop-dialog.css'
import { Minus, Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useChangeAvatar } from './change-avatar.api.ts'
import { firstCrop, zoomCrop, zoomMost, zoomOf } from './crop.ts'
import { CropStage } from './crop-stage.tsx'
import { cutPicture } from './cut-picture.ts'
import { useProfileText } from './profile.text.ts'

interface Props {
  picture: HTMLImageElement
  onClose: () => void
}

/** Which square of the picture is kept, then sends it. */
export default function CropDialog({ picture, onClose }: Props) {
  const text = useProfileText().avatar
  const size = { width: picture.naturalWidth, height: picture.naturalHeight }
  const [crop, setCrop] = useState(() => firstCrop(size))
  const stage = useRef<HTMLDivElement>(null)
  const { send, part, error } = useUpload(onClose)
  const uploading = part !== undefined
  return (
    <Modal title={text.title} first={stage} onCancel={onClose}>
      <div className="crop" inert={uploading}>
        <CropStage picture={picture} size={size} crop={crop} onCrop={setCrop} stage={stage} />
        <label className="crop-zoom">
          <Minus />
          <input
            type="range"
            aria-label={text.zoom}
            min={1}
            max={zoomMost}
            step={0.01}
            value={zoomOf(size, crop)}
            onChange={({ target }) => setCrop((now) => zoomCrop(size, now, Number(target.value)))}
          />
          <Plus />
        </label>
      </div>
      <div className="crop-state">
        {uploading ? <UploadBar part={part} /> : error ? <ErrorLine message={error} /> : <p>{text.hint}</p>}
      </div>
      <div className="dialog-acts">
        <Button kind="quiet" onClick={onClose}>
          {text.cancel}
        </Button>
        <Button busy={uploading} onClick={() => send(() => cutPicture(picture, crop))}>
          {error ? text.tryAgain : text.confirm}
        </Button>
      </div>
    </Modal>
  )
}

function UploadBar({ part }: { part: number }) {
  const text = useProfileText().avatar
  return (
    <div className="upload">
      <progress aria-label={text.uploading} value={part} />
      <span>{part < 1 ? `${text.uploading} ${Math.round(part * 100)}%` : text.saving}</span>
    </div>
  )
}

/** Sending once, with how far it has come; closing the dialog calls it off. */
function useUpload(onDone: () => void) {
  const text = useProfileText().avatar
  const [part, setPart] = useState<number>()
  const [error, setError] = useState<string>()
  const { mutateAsync } = useChangeAvatar()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])

  async function send(cut: () => Promise<Blob>) {
    const { signal } = stop.current
    setError(undefined)
    setPart(0)
    try {
      await mutateAsync({ file: await cut(), signal, onProgress: setPart })
      showToast('good', text.changed)
      onDone()
    } catch (failure) {
      setError((failure as Error).message)
      setPart(undefined)
    }
  }
  return { send: (cut: () => Promise<Blob>) => void send(cut), part, error }
}
