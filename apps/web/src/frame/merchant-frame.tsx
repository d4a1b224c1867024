import './merchant-frame.css'
import { pages } from '@hufu/contract/pages'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { useDevice } from '../lib/device/device.ts'
import { isPortrait } from '../lib/device/device-rules.ts'
import { useGoBack } from '../lib/history/go-back.ts'
import { useUser } from '../session/profile.api.ts'
import { EnrolBanner } from './enrol-banner.tsx'
import { Frame } from './frame.tsx'
import { mayMerchant } from './navigation.ts'
import { NoPermissionPage } from './no-permission-page.tsx'
import { SideList } from './side-list.tsx'

interface Props {
  title: string
  /** Beside the title: a sentence or buttons. */
  aside?: ReactNode
  /** The page has its own heading or needs the height: its title is only for screen readers. */
  bare?: boolean
  /** For a page that another one leads to: where back goes when the history has no such entry. */
  above?: string
  children: ReactNode
}

/** From this width on, in rem, the list of pages stands beside the page. */
const roomy = 72

/** The frame of every back-office page: a user without READ sees only that. */
export function MerchantFrame({ title, aside, bare = false, above, children }: Props) {
  const { user } = useUser()
  // The home page is a list of the pages already.
  const home = useLocation().pathname === pages.merchant
  const portrait = useDevice(isPortrait)
  const listed = useDevice(({ width, fontSize }) => width >= roomy * fontSize) && !portrait && !home
  const goBack = useGoBack(above ?? pages.merchant)
  if (!mayMerchant(user?.permission, 'READ')) return <NoPermissionPage />
  // Without a visible title there is no back button; the navigation leads there, too.
  const leadsBack = above !== undefined || (!listed && !home && (portrait || !bare))
  return (
    <Frame
      title={title}
      side={listed && <SideList />}
      aside={aside && <div className="page-aside">{aside}</div>}
      look={bare ? 'office bare' : 'office'}
      onBack={leadsBack ? () => goBack(1) : undefined}
    >
      <EnrolBanner />
      {children}
    </Frame>
  )
}
