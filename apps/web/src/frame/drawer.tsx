import './drawer.css'
import { X } from 'lucide-react'
import { type MouseEvent, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { create } from 'zustand'
import { useDevice } from '../lib/device/device.ts'
import { isPortrait } from '../lib/device/device-rules.ts'
import { entryNumber } from '../lib/history/go-back.ts'
import { useUser } from '../session/profile.api.ts'
import { nameOf, pictureOf, shownMobile } from '../session/user.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconButton } from '../ui/button.tsx'
import { useFrameText } from './frame.text.ts'
import { SiteName } from './logo.tsx'
import { NavigationLinks } from './navigation-links.tsx'

/** The history entry at which the menu was opened, while it is open. */
const useMenu = create<{ openedAt: number | undefined }>(() => ({ openedAt: undefined }))

export const openMenu = () => useMenu.setState({ openedAt: entryNumber() })
const closeMenu = () => useMenu.setState({ openedAt: undefined })

/**
 * Rendered once, outside the routes: a page that arrives renders its own bar, and must not close a menu that the user has
 * already opened.
 */
export function Menu() {
  const { openedAt } = useMenu()
  const portrait = useDevice(isPortrait)
  const { pathname } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it, unless it is the one that was awaited
  useEffect(() => {
    if (openedAt !== entryNumber()) closeMenu()
  }, [pathname])
  // biome-ignore lint/correctness/useExhaustiveDependencies: so does a turned screen
  useEffect(() => closeMenu, [portrait])
  return openedAt !== undefined && portrait ? <Drawer /> : null
}

/** The links of the mobile bar. The browser's own modal: Esc, focus kept inside and given back come with it. */
function Drawer() {
  const { user } = useUser()
  const text = useFrameText()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = () => dialog.current?.close()
  // Only the backdrop and empty space are the dialog itself; a link closes the drawer on its way.
  const closeOutside = ({ target }: MouseEvent) => {
    if (target === dialog.current || (target as Element).closest('a')) close()
  }
  const closed = () => {
    closeMenu()
    // The button that opened it may be gone with its page: then the focus moves to the button of the new page.
    const { activeElement, body } = document
    if (activeElement === body || dialog.current?.contains(activeElement))
      document.querySelector<HTMLElement>('.bar [aria-haspopup]')?.focus()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes it with Esc, which the browser handles
    <dialog ref={dialog} className="drawer" aria-label={text.frame.menu} onClose={closed} onClick={closeOutside}>
      <div className="drawer-body">
        <div className="drawer-head">
          <div className="who">
            <SiteName />
          </div>
          <IconButton label={text.frame.closeMenu} onClick={close}>
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
