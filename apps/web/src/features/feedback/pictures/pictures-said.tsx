import './pictures.css'
import type { FeedbackPicture } from '@hufu/contract/feedback'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { useFeedbackText } from '../feedback.text.ts'
import { dropLocal, localPicture } from './pictures-local.ts'

interface Props {
  pictures: FeedbackPicture[]
  onOpen: (id: string) => void
}

/** The pictures of a message: one as it is, more as tiles. */
export function SaidPictures({ pictures, onOpen }: Props) {
  const many = pictures.length
  const columns = many === 1 ? 'one' : many === 2 || many === 4 ? 'two' : 'three'
  return (
    <div className={`said-pictures ${columns}`}>
      {pictures.map((picture, at) => (
        <Tile key={picture.id} picture={picture} number={at + 1} of={many} onOpen={() => onOpen(picture.id)} />
      ))}
    </div>
  )
}

/** Its space is reserved before it is loaded; never larger than its real size. */
const roomOf = ({ width, height }: FeedbackPicture) => ({
  aspectRatio: `${width} / ${height}`,
  width: `min(15rem, ${(15 * width) / height}rem, ${width}px)`,
})

interface TileProps {
  picture: FeedbackPicture
  number: number
  of: number
  onOpen: () => void
}

function Tile({ picture, number, of, onOpen }: TileProps) {
  const text = useFeedbackText().pictures
  const [broken, setBroken] = useState(false)
  const local = localPicture(picture.id)
  const open = () => {
    setBroken(false)
    onOpen()
  }
  return (
    <button
      type="button"
      className="shot"
      aria-haspopup="dialog"
      style={{ ...(of === 1 && roomOf(picture)), ...(local && { backgroundImage: `url(${local})` }) }}
      onClick={open}
    >
      {broken ? (
        <ImageOff role="img" aria-label={text.broken} />
      ) : (
        <img
          src={feedbackPicturePath(picture.id)}
          alt={text.one(number, of)}
          loading="lazy"
          decoding="async"
          onLoad={() => dropLocal(picture.id)}
          onError={() => setBroken(true)}
        />
      )}
    </button>
  )
}
