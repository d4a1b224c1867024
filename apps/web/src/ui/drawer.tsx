import './drawer.css'
import { X } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { nameOf, pictureOf, shownMobile } from '../features/profile/person.ts'
import { useUser } from '../features/profile/profile.api.ts'
import { useText } from '../lib/text.ts'
import { Avatar } from './avatar.tsx'
import { IconButton } from './button.tsx'
import { SiteName } from './logo.tsx'
import { NavigationLinks } from './navigation-links.tsx'

interface Props {
  open: boolean
  onClose: () => void
}

/** The links of the mobile bar. The browser's own modal: Esc, focus kept inside and given back come with it. */
export function Drawer({ open, onClose }: Props) {
  const { user } = useUser()
  const text = useText()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open) dialog.current?.showModal()
    else dialog.current?.close()
  }, [open])
  // Only the backdrop and empty space are the dialog itself; a link closes the drawer on its way.
  const closeOutside = ({ target }: MouseEvent) => {
    if (target === dialog.current || (target as Element).closest('a')) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes it with Esc, which the browser handles
    <dialog ref={dialog} className="drawer" aria-label={text.frame.menu} onClose={onClose} onClick={closeOutside}>
      <div className="drawer-body">
        <div className="drawer-head">
          <div className="who">
            <SiteName />
          </div>
          <IconButton label={text.frame.closeMenu} onClick={onClose}>
            <X />
          </IconButton>
        </div>
        <NavigationLinks withIcons />
        {user && (
          <div className="me">
            <Avatar name={nameOf(user)} picture={pictureOf(user)} />
            <div>
              <b>{nameOf(user)}</b>
              <p>{shownMobile(user)}</p>
            </div>
          </div>
        )}
      </div>
    </dialog>
  )
}
