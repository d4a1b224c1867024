import './frame.css'
import { ChevronLeft, Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { useDevice } from '../lib/device/device.ts'
import { isNearTop, isPortrait } from '../lib/device/device-rules.ts'
import { usePageTitle } from '../lib/use-page-title.ts'
import { useUser } from '../session/profile.api.ts'
import { nameOf, pictureOf } from '../session/user.ts'
import { useSite } from '../site/site.store.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconButton } from '../ui/button.tsx'
import { openMenu } from './drawer.tsx'
import { useFrameText } from './frame.text.ts'
import { SiteName } from './logo.tsx'
import { currentLink, homeOf } from './navigation.ts'
import { NavigationLinks } from './navigation-links.tsx'
import { useUnread } from './unread.ts'

interface Props {
  title: string
  /** For a page with one form. */
  narrow?: boolean
  /** For a page of several columns, which needs the height of the title too. */
  wide?: boolean
  /** For a page that is left by going back: what its own back button does. */
  onBack?: (() => void) | undefined
  /** For a page of an area: the list of the area's pages, beside it where there is room. */
  side?: ReactNode
  /** Beside the title. */
  aside?: ReactNode
  /** Further classes of the page. */
  look?: string
  children: ReactNode
}

/** What all pages but home and sign-in stand in: navigation, title, one column. */
export function Frame({ title, narrow, wide, onBack, side, aside, look = '', children }: Props) {
  const text = useFrameText()
  const portrait = useDevice(isPortrait)
  const unread = useUnread()
  usePageTitle(title, unread[currentLink(useLocation().pathname) === 'merchant' ? 'merchant' : 'feedback'])
  const main = (
    <main className={`page${narrow ? ' narrow' : ''}${wide ? ' wide' : ''} ${look}`} id="main" tabIndex={-1}>
      {!portrait && (
        <div className="title">
          {onBack && <BackButton onBack={onBack} />}
          <h1>{title}</h1>
          {aside}
        </div>
      )}
      {portrait && aside}
      {children}
    </main>
  )
  return (
    <>
      <a className="skip" href="#main">
        {text.frame.skip}
      </a>
      {portrait ? <MobileBar title={title} onBack={onBack} /> : <TopNavigation />}
      {side === undefined ? (
        main
      ) : (
        <div className="with-side">
          {side}
          {main}
        </div>
      )}
    </>
  )
}

function TopNavigation() {
  const { user } = useUser()
  const nearTop = useDevice(isNearTop)
  const home = homeOf(useSite((site) => site.site))
  return (
    <header className={nearTop ? 'nav near-top' : 'nav'} data-near-top={nearTop}>
      <Link className="who" to={home}>
        <SiteName size="small" />
      </Link>
      <NavigationLinks />
      {user && (
        <span className="me">
          <Avatar name={nameOf(user)} picture={pictureOf(user)} />
          <span>{nameOf(user)}</span>
        </span>
      )}
    </header>
  )
}

/** The longest time between the two taps of a double tap. */
const doubleTapMs = 400
let tappedAt = Number.NEGATIVE_INFINITY

/** The second tap of a double tap must not hit the button of the next page. */
function BackButton({ onBack }: { onBack: () => void }) {
  const text = useFrameText().frame
  function tapped({ timeStamp }: { timeStamp: number }) {
    if (timeStamp - tappedAt < doubleTapMs) return
    tappedAt = timeStamp
    onBack()
  }
  return (
    <IconButton label={text.back} onClick={tapped}>
      <ChevronLeft />
    </IconButton>
  )
}

function MobileBar({ title, onBack }: { title: string; onBack: (() => void) | undefined }) {
  const text = useFrameText()
  const navigate = useNavigate()
  const nearTop = useDevice(isNearTop)
  const hasBack = useDevice((device) => device.hasBack) || onBack !== undefined
  const unread = useUnread()
  const menu = (
    <IconButton label={text.frame.menu} aria-haspopup="dialog" onClick={openMenu}>
      <Menu />
      {unread.feedback || unread.merchant ? <span className="news" /> : null}
    </IconButton>
  )
  const back = <BackButton onBack={onBack ?? (() => navigate(-1))} />
  return (
    <header className={nearTop ? 'bar near-top' : 'bar'} data-near-top={nearTop}>
      {hasBack ? back : menu}
      <h1>{title}</h1>
      {hasBack ? menu : <span className="icon-btn" aria-hidden="true" />}
    </header>
  )
}
