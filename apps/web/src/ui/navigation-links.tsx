import { House, LayoutGrid, MessageSquareText, UserRound } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { useUnread } from '../features/feedback/unread.ts'
import { useUser } from '../features/profile/profile.api.ts'
import { currentLink, navigationLinks } from '../features/shell/navigation.ts'
import { useSite } from '../features/site/site.store.ts'
import { useText } from '../lib/text.ts'

const icons = { home: House, user: UserRound, feedback: MessageSquareText, merchant: LayoutGrid }

/** The same links on the wide bar and in the drawer. */
export function NavigationLinks({ withIcons }: { withIcons?: boolean }) {
  const { user } = useUser()
  const text = useText()
  const site = useSite((state) => state.site)
  const unread = useUnread()
  const current = currentLink(useLocation().pathname)
  return (
    <nav aria-label={text.frame.navigation}>
      {navigationLinks(site, user?.permission).map(({ name, to }) => {
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
