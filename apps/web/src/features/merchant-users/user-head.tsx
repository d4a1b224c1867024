import '../../ui/badge.css'
import { shortId } from '@hufu/contract/merchant-rights'
import type { Person } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { Link } from 'react-router'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { callName } from './user-name.ts'

/** Name and state of the account. */
export function UserHead({ user }: { user: Person }) {
  const { user: text, users, when } = useMerchantUsersText()
  const now = useNow()
  const { id, nickname, wechatNickname, status, since, lastAccess } = user
  const facts = [
    { label: text.id, value: <span className="mono">{shortId(id)}</span> },
    { label: text.since, value: whenOf(since, now, when) },
    { label: text.lastAccess, value: lastAccess === null ? users.never : whenOf(lastAccess, now, when) },
  ]
  return (
    <section className="card person-top">
      <Avatar name={callName(user)} picture={user.avatar ?? undefined} large />
      <div className="person-who">
        <h2>
          <span>{nickname ?? text.noName}</span>
          <span className={status === 'active' ? 'badge good' : 'badge bad'}>{text[status]}</span>
        </h2>
        {wechatNickname && <p>{text.wechatName(wechatNickname)}</p>}
        <dl>
          {facts.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <Link className="btn quiet" to={`${pages.merchantLog}?person=${id}`}>
        {text.log}
      </Link>
    </section>
  )
}
