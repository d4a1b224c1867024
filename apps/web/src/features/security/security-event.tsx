import type { OwnSecurityEntry } from '@hufu/contract/security'
import { clockOf } from '../../lib/time/when.ts'
import { Button } from '../../ui/button.tsx'
import { lookOf } from './event-look.ts'
import { useSecurityText } from './security.text.ts'

interface Props {
  entry: OwnSecurityEntry
  onDisown: () => void
}

/** One thing that happened to the account: what, with what, from where and when. */
export function SecurityEvent({ entry, onDisown }: Props) {
  const { icon: Icon, tone } = lookOf(entry)
  const { session, time } = entry
  return (
    <li className={`happening ${session?.current ? 'here' : tone}`}>
      <span className="happening-icon">
        <Icon />
      </span>
      <div className="happening-facts">
        <b>
          <Words entry={entry} />
          <Badge session={session} />
        </b>
        <time dateTime={new Date(time).toISOString()}>{clockOf(time)}</time>
        <Origin entry={entry} />
        {session && !session.current && !session.disowned && <NotMe entry={entry} onDisown={onDisown} />}
      </div>
    </li>
  )
}

/** 登录 · 手机验证码, 授权登录 · 青屿商城, 密码错误 3 次. */
function Words({ entry: { event, method, client, count } }: Pick<Props, 'entry'>) {
  const text = useSecurityText()
  const words = text.events[event] ?? text.otherEvent
  const how = client ?? (method && text.methods[method])
  return <Pair one={count !== null && count > 1 ? text.history.times(words, count) : words} other={how} />
}

/** What operators did has none. */
function Origin({ entry: { browser, os, region, ip } }: Pick<Props, 'entry'>) {
  if (!browser && !region && !ip) return null
  return (
    <p>
      {browser && <Pair one={browser} other={os} />}
      {region && <span>{region}</span>}
      {ip && <span>{ip}</span>}
    </p>
  )
}

/** Two words with a dot between them, drawn, since Chinese fonts make the sign as wide as a character. */
function Pair({ one, other }: { one: string; other: string | null | undefined }) {
  return (
    <span>
      <span className="whole">
        {one}
        {other && <span className="happening-dot" />}
      </span>
      {other && <span className="whole">{other}</span>}
    </span>
  )
}

/** What became of the session that a sign-in began. */
function Badge({ session }: Pick<OwnSecurityEntry, 'session'>) {
  const text = useSecurityText().history
  if (session?.current) return <span className="badge brand">{text.here}</span>
  if (session?.disowned) return <span className="badge bad">{text.disowned}</span>
  return session && !session.live ? <span className="badge">{text.ended}</span> : null
}

function NotMe({ entry, onDisown }: Props) {
  const text = useSecurityText().history
  const what = [entry.browser, entry.os, clockOf(entry.time)].filter(Boolean).join(' ')
  return (
    <Button kind="quiet" aria-label={text.notMeOf(what)} onClick={onDisown}>
      {text.notMe}
    </Button>
  )
}
