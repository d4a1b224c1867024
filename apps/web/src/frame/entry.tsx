import './entry.css'
import type { ReactNode } from 'react'
import { preload } from 'react-dom'
import { useDevice } from '../lib/device/device.ts'
import { isPortrait } from '../lib/device/device-rules.ts'
import { isOwnBackground, loginBackground } from '../site/login-background.ts'
import { useSite } from '../site/site.store.ts'
import { SiteName } from './logo.tsx'
import { SiteFooter } from './site-footer.tsx'

interface Props {
  /** The card stands right of the centre where there is room. */
  beside?: boolean
  children: ReactNode
}

/** The picture with a card on it; on portrait screens the picture above and the card as a sheet below. */
export function Entry({ beside, children }: Props) {
  const portrait = useDevice(isPortrait)
  const picture = useSite((site) => loginBackground(site, portrait))
  // Preloaded: from the stylesheet alone the browser would request it only after the first render.
  preload(picture, { as: 'image' })
  const toned = isOwnBackground(picture) ? ' own' : ''
  const who = (
    <div className="who">
      <SiteName />
    </div>
  )
  return (
    <div className={portrait ? 'entry portrait' : `entry${beside ? ' beside' : ''}`}>
      <div className={`picture${toned}`} style={{ backgroundImage: `url(${JSON.stringify(picture)})` }} />
      {portrait && <header>{who}</header>}
      <main className="sheet" id="main" tabIndex={-1}>
        {!portrait && who}
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}
