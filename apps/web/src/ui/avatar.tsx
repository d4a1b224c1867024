import './avatar.css'
import { initialOf } from '../lib/device/initial.ts'
import { usePicture } from '../lib/device/use-picture.ts'

interface Props {
  name: string
  picture?: string | undefined
  large?: boolean
}

/** A user's picture, or the first character of the name, in a round. Always beside the name, so it says nothing itself. */
export function Avatar({ name, picture, large }: Props) {
  const { shown, onError } = usePicture(picture)
  return (
    <span className={large ? 'avatar large' : 'avatar'} aria-hidden="true">
      {shown ? <img src={shown} alt="" draggable={false} onError={onError} /> : initialOf(name)}
    </span>
  )
}
