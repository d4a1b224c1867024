import { MonitorSmartphone } from 'lucide-react'
import { Link } from 'react-router'
import { useNow } from '../../../lib/time/use-now.ts'
import { whenOf } from '../../../lib/time/when.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { StatusBadge } from '../conversation/status-badge.tsx'
import { useBeside } from '../conversation/use-beside.ts'
import { useFeedbackUser } from '../feedback.api.ts'
import { useFeedbackText } from '../feedback.text.ts'

/** Who wrote: what an operator needs to know to answer well. Folded where it would push the list away. */
export function UserCard({ id, pathOf }: { id: string; pathOf: (id: string) => string }) {
  const text = useFeedbackText()
  const now = useNow()
  const wide = useBeside()
  const user = useFeedbackUser(id)
  if (!user) return null
  const name = user.nickname ?? text.noNickname
  return (
    <details className="card person" open={wide}>
      <summary>{text.person}</summary>
      <div className="person-head">
        <Avatar name={user.nickname ?? user.mobile ?? ''} picture={user.avatar ?? undefined} />
        <div>
          <b>{name}</b>
          <p className="tabular">{user.mobile ?? text.noMobile}</p>
        </div>
      </div>
      <p className="person-since">
        {text.since} <span className="tabular">{whenOf(user.since, now, text.when)}</span>
      </p>
      <h2>{text.devices}</h2>
      {user.devices.length === 0 && <p className="person-none">{text.noDevices}</p>}
      <ul>
        {user.devices.map(({ browser, os, region, time }) => (
          <li key={`${browser} ${os} ${time}`} className="person-device">
            <MonitorSmartphone />
            <span>
              {browser} {os}
              <small>
                {region} {whenOf(time, now, text.when)}
              </small>
            </span>
          </li>
        ))}
      </ul>
      <h2>{text.earlier}</h2>
      {user.earlier.length === 0 && <p className="person-none">{text.noEarlier}</p>}
      <ul>
        {user.earlier.map((item) => (
          <li key={item.id}>
            <Link className="person-earlier" to={pathOf(item.id)} replace>
              <span>
                <StatusBadge side="merchant" status={item.status} />
                <time dateTime={new Date(item.time).toISOString()}>{whenOf(item.time, now, text.when)}</time>
              </span>
              <span className="person-words">{item.preview}</span>
            </Link>
          </li>
        ))}
      </ul>
    </details>
  )
}
