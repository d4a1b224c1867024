import './frame.css'
import { ChevronLeft, Menu } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { nameOf } from '../features/profile/person.ts'
import { useUser } from '../features/profile/profile.api.ts'
import { navigationLinks } from '../features/shell/navigation.ts'
import { useSite } from '../features/site/site.store.ts'
import { useDevice } from '../lib/device.ts'
import { isNearTop, isPortrait } from '../lib/device-rules.ts'
import { useText } from '../lib/text.ts'
import { usePageTitle } from '../lib/use-page-title.ts'
import { Avatar } from './avatar.tsx'
import { IconButton } from './button.tsx'
import { Drawer } from './drawer.tsx'
import { SiteName } from './logo.tsx'
import { NavigationLinks } from './navigation-links.tsx'

/** What all pages but home and sign-in stand in: navigation, title, one column. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const text = useText()
  const portrait = useDevice(isPortrait)
  usePageTitle(title)
  return (
    <>
      <a className="skip" href="#main">
        {text.frame.skip}
      </a>
      {portrait ? <MobileBar title={title} /> : <TopNavigation />}
      <main className="page" id="main" tabIndex={-1}>
        {!portrait && <h1>{title}</h1>}
        {children}
      </main>
    </>
  )
}

function TopNavigation() {
  const { user } = useUser()
  const nearTop = useDevice(isNearTop)
  const [home] = navigationLinks(useSite((site) => site.site))
  return (
    <header className={nearTop ? 'nav near-top' : 'nav'} data-near-top={nearTop}>
      <Link className="who" to={home?.to ?? '/'}>
        <SiteName size="small" />
      </Link>
      <NavigationLinks />
      {user && (
        <span className="me">
          <Avatar name={nameOf(user)} />
          <span>{nameOf(user)}</span>
        </span>
      )}
    </header>
  )
}

function MobileBar({ title }: { title: string }) {
  const text = useText()
  const navigate = useNavigate()
  const nearTop = useDevice(isNearTop)
  const hasBack = useDevice((device) => device.hasBack)
  const [open, setOpen] = useState(false)
  const menu = (
    <IconButton label={text.frame.menu} aria-haspopup="dialog" onClick={() => setOpen(true)}>
      <Menu />
    </IconButton>
  )
  const back = (
    <IconButton label={text.frame.back} onClick={() => navigate(-1)}>
      <ChevronLeft />
    </IconButton>
  )
  return (
    <>
      <header className={nearTop ? 'bar near-top' : 'bar'} data-near-top={nearTop}>
        {hasBack ? back : menu}
        <h1>{title}</h1>
        {hasBack ? menu : <span className="icon-btn" aria-hidden="true" />}
      </header>
      <Drawer open={open} onClose={() => setOpen(false)} />
    </>
  )
}
