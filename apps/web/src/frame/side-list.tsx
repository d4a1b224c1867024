import './side-list.css'
import { pages } from '@hufu/contract/pages'
import {
  Braces,
  ChartLine,
  type LucideIcon,
  MessageCircleMore,
  MessageSquareText,
  ScrollText,
  UsersRound,
} from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { useSideListText } from './side-list.text.ts'
import { useUnread } from './unread.ts'

type Name = 'feedback' | 'users' | 'statistics' | 'wechat' | 'config' | 'log'

const entries: Record<Name, { to: string; icon: LucideIcon }> = {
  feedback: { to: pages.merchantFeedback, icon: MessageSquareText },
  users: { to: pages.merchantUsers, icon: UsersRound },
  statistics: { to: pages.merchantStatistics, icon: ChartLine },
  wechat: { to: pages.merchantWechat, icon: MessageCircleMore },
  config: { to: pages.merchantConfig, icon: Braces },
  log: { to: pages.merchantLog, icon: ScrollText },
}

const groups = {
  service: ['feedback', 'users'],
  management: ['statistics', 'wechat', 'config'],
} as const satisfies Record<string, Name[]>

/** The pages of the back-office, in the two groups of its home; what is looked at rarely stands apart. */
export function SideList() {
  const text = useSideListText()
  return (
    <nav className="side-list" aria-label={text.list}>
      {(['service', 'management'] as const).map((group) => (
        <div key={group}>
          <h2>{text[group]}</h2>
          {groups[group].map((name) => (
            <SideLink key={name} name={name} />
          ))}
        </div>
      ))}
      <div className="side-quiet">
        <SideLink name="log" />
      </div>
    </nav>
  )
}

function SideLink({ name }: { name: Name }) {
  const text = useSideListText()
  const { pathname } = useLocation()
  const unread = useUnread().merchant
  const { to, icon: Icon } = entries[name]
  const current = pathname === to || pathname.startsWith(`${to}/`)
  return (
    <Link to={to} aria-current={current ? 'page' : undefined}>
      <Icon />
      {text[name]}
      {name === 'feedback' && unread ? (
        <span className="side-count" role="img" aria-label={text.unread(unread)}>
          {unread > 99 ? '99+' : unread}
        </span>
      ) : null}
    </Link>
  )
}
