import { avatarRules } from '@hufu/contract/avatar-rules'
import type { UserInfo } from '@hufu/contract/profile'
import { Camera } from 'lucide-react'
import { type ChangeEvent, lazy, Suspense, useRef, useState } from 'react'
import { networkError } from '../../lib/call/call.ts'
import { closePicture, openPicture } from '../../lib/picture.ts'
import { nameOf, pictureOf } from '../../session/user.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { useProfileText } from './profile.text.ts'

const loadDialog = () => import('./crop-dialog.tsx')
const CropDialog = lazy(loadDialog)

/** The picture; a tap chooses another one, which is cropped before it is sent. */
export function AvatarButton({ user }: { user: UserInfo }) {
  const text = useProfileText().avatar
  const input = useRef<HTMLInputElement>(null)
  const [error, setError] = useState<string>()
  const [picture, setPicture] = useState<HTMLImageElement>()

  async function choose({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    // The same file may be chosen again.
    target.value = ''
    setError(undefined)
    if (!file) return
    const [opened, loaded] = await Promise.allSettled([openPicture(file), loadDialog()])
    if (opened.status === 'rejected') setError(text.unreadable)
    else if (loaded.status === 'rejected') setError(networkError.message)
    else setPicture(opened.value)
  }
  const close = () => {
    if (picture) closePicture(picture)
    setPicture(undefined)
  }
  return (
    <>
      <button type="button" className="picture-button" onClick={() => input.current?.click()}>
        <span className="unseen">{text.change}</span>
        <Avatar name={nameOf(user)} picture={pictureOf(user)} large />
        <span className="camera">
          <Camera />
        </span>
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept={avatarRules.types.join()}
        aria-label={text.change}
        onChange={choose}
      />
      {error && (
        <div className="picture-error">
          <ErrorLine message={error} />
        </div>
      )}
      <Suspense fallback={null}>{picture && <CropDialog picture={picture} onClose={close} />}</Suspense>
    </>
  )
}
