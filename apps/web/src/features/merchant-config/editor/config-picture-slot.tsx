import { pictureRules } from '@hufu/contract/picture-rules'
import { ImageOff } from 'lucide-react'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { CallError } from '../../../lib/call/call.ts'
import { usePicture } from '../../../lib/device/use-picture.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { useConfigText } from '../config.text.ts'
import { addPicture, type PictureKey, pictureFault } from './config-picture.api.ts'

interface Props {
  slot: PictureKey
  /** What stands in the text: anything. */
  named: unknown
  /** Without a path there is no picture any more. */
  onChange: (path?: string) => void
}

export function PictureSlot({ slot, named, onChange }: Props) {
  const text = useConfigText().pictures
  const { name, hint } = text.slots[slot]
  const input = useRef<HTMLInputElement>(null)
  const { part, error, send } = usePictureUpload(slot, onChange)
  const address = typeof named === 'string' && named !== '' ? named : undefined

  function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    if (file) void send(file)
    // The same file may be chosen again.
    target.value = ''
  }
  return (
    <li className="brand-picture">
      <Shown slot={slot} address={address} />
      <div className="brand-picture-words">
        <b>{name}</b>
        {part !== undefined ? <Progress part={part} /> : error ? <ErrorLine message={error} /> : <span>{hint}</span>}
      </div>
      <div className="brand-picture-acts">
        {named !== undefined && part === undefined && (
          <Button kind="text" aria-label={`${text.remove}${name}`} onClick={() => onChange()}>
            {text.remove}
          </Button>
        )}
        <Button
          kind="soft"
          busy={part !== undefined}
          aria-label={`${address ? text.replace : text.upload}${name}`}
          onClick={() => input.current?.click()}
        >
          {address ? text.replace : text.upload}
        </Button>
      </div>
      <input ref={input} type="file" hidden accept={pictureRules.types.join()} aria-label={name} onChange={choose} />
    </li>
  )
}

/** Logos are shown whole, backgrounds as they fill a screen. */
function Shown({ slot, address }: { slot: PictureKey; address: string | undefined }) {
  const text = useConfigText().pictures
  const { shown, onError } = usePicture(address)
  return (
    <span className={`brand-picture-shown ${slot}`}>
      {shown && <img src={shown} alt="" onError={onError} />}
      {!shown && (address ? <ImageOff aria-label={text.broken} /> : text.none)}
    </span>
  )
}

function Progress({ part }: { part: number }) {
  const text = useConfigText().pictures
  return (
    <div className="upload">
      <progress aria-label={text.uploading} value={part} />
      <span>{part < 1 ? `${text.uploading} ${Math.round(part * 100)}%` : text.keeping}</span>
    </div>
  )
}

/** Checks and sends one picture at a time, with how far it has come; leaving calls it off. */
function usePictureUpload(slot: PictureKey, onAdded: (path: string) => void) {
  const text = useConfigText().pictures
  const [part, setPart] = useState<number>()
  const [error, setError] = useState<string>()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])

  async function send(file: Blob) {
    setError(undefined)
    const fault = await pictureFault(file)
    if (fault) return setError(text[fault])
    setPart(0)
    try {
      onAdded(await addPicture(slot, { file, signal: stop.current.signal, onProgress: setPart }))
    } catch (failure) {
      if (!(failure instanceof CallError)) throw failure
      setError(failure.message)
    } finally {
      setPart(undefined)
    }
  }
  return { part, error, send }
}
