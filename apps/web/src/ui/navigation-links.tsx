import { House, LayoutGrid, MessageSquareText, UserRound } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { currentLink, navigationLinks, type Permission } from '../features/shell/navigation.ts'
import { useSite } from '../features/site/site.store.ts'
import { useText } from '../lib/text.ts'

const icons = { home: House, user: UserRound, feedback: MessageSquareText, merchant: LayoutGrid }

interface Props {
  permission: Permission | undefined
  withIcons?: boolean
}

/** The same links on the wide bar and in the drawer. */
export function NavigationLinks({ permission, withIcons }: Props) {
  const text = useText()
  const site = useSite((state) => state.site)
  const current = currentLink(useLocation().pathname)
  return (
    <nav aria-label={text.frame.navigation}>
      {navigationLinks(site, permission).map(({ name, to }) => {
        const Icon = icons[name]
        return (
          <Link key={name} to={to} aria-current={name === current ? 'page' : undefined}>
            {withIcons && <Icon />}
            {text.frame[name]}
          </Link>
        )
      })}
    </nav>
  )
}
