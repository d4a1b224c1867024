import { House, LayoutGrid, MessageSquareText, UserRound } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { useUser } from '../session/profile.api.ts'
import { useSite } from '../site/site.store.ts'
import { useFrameText } from './frame.text.ts'
import { currentLink, navigationLinks } from './navigation.ts'
import { useUnread } from './unread.ts'

const icons = { home: House, user: UserRound, feedback: MessageSquareText, merchant: LayoutGrid }

/** The same links on the wide bar and in the drawer. */
export function NavigationLinks({ withIcons }: { withIcons?: boolean }) {
  const { user } = useUser()
  const text = useFrameText()
  const site = useSite((state) => state.site)
  const unread = useUnread()
  const current = currentLink(useLocation().pathname)
  return (
    <nav aria-label={text.frame.navigation}>
      {navigationLinks(site, user).map(({ name, to }) => {
        const Icon = icons[name]
        return (
          <Link key={name} to={to} aria-current={name === current ? 'page' : undefined}>
            {withIcons && <Icon />}
            {text.frame[name]}
            {unread[name] ? <span className="news" role="img" aria-label={text.frame.news} /> : null}
          </Link>
        )
      })}
    </nav>
  )
}
