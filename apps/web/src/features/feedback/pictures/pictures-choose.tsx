import { pictureRules } from '@hufu/contract/picture-rules'
import { Image } from 'lucide-react'
import { type ChangeEvent, useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { useFeedbackText } from '../feedback.text.ts'

interface Props {
  refused: string | undefined
  onFiles: (files: File[]) => void
}

/** Chooses pictures, or takes some with the camera where there is one. */
export function ChoosePictures({ refused, onFiles }: Props) {
  const text = useFeedbackText().pictures
  const input = useRef<HTMLInputElement>(null)
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const files = [...(target.files ?? [])]
    // The same file may be chosen again.
    target.value = ''
    onFiles(files)
  }
  return (
    <>
      <IconButton
        label={text.add}
        title={refused ?? text.add}
        disabled={refused !== undefined}
        onClick={() => input.current?.click()}
      >
        <Image />
      </IconButton>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={pictureRules.types.join()}
        aria-label={text.add}
        onChange={choose}
      />
    </>
  )
}
