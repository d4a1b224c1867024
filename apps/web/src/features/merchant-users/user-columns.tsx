import '../../ui/badge.css'
import { shortId } from '@hufu/contract/merchant-rights'
import type { UserRow } from '@hufu/contract/merchant-users'
import { Link } from 'react-router'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import type { Column } from '../../ui/data-table/data-table-props.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { userPath } from './user-name.ts'

/** Id, username and e-mail have no place on a phone. */
export function useUserColumns(): Column<UserRow>[] {
  const text = useMerchantUsersText()
  const now = useNow()
  const { columns, never } = text.users
  const orUnset = (value: string | null) => value ?? <span className="dim">{text.unset}</span>
  const mobileOf = ({ mobilePrefix, mobile }: UserRow) =>
    mobile && mobilePrefix && mobilePrefix !== '86' ? `+${mobilePrefix} ${mobile}` : mobile
  return [
    { name: 'id', label: columns.id, width: 7, cell: ({ id }) => <span className="mono">{shortId(id)}</span> },
    { name: 'mobile', label: columns.mobile, width: 9.5, onCard: 'line', cell: (row) => orUnset(mobileOf(row)) },
    { name: 'nickname', label: columns.nickname, onCard: 'name', cell: (row) => <Nickname row={row} /> },
    { name: 'username', label: columns.username, cell: ({ username }) => orUnset(username) },
    { name: 'email', label: columns.email, cell: ({ email }) => orUnset(email) },
    {
      name: 'lastAccess',
      label: columns.lastAccess,
      width: 10.5,
      end: true,
      onCard: 'end',
      cell: ({ lastAccess }) => (lastAccess === null ? never : whenOf(lastAccess, now, text.when)),
    },
  ]
}

function Nickname({ row }: { row: UserRow }) {
  const text = useMerchantUsersText()
  return (
    <span className="user-name">
      <Link to={userPath(row.id)}>{row.nickname ?? text.unset}</Link>
      {row.status === 'disabled' && <span className="badge bad">{text.users.disabled}</span>}
      {row.operator && <span className="badge brand">{text.users.staff}</span>}
      {row.operator && !row.protected && <span className="badge warn">{text.users.unprotected}</span>}
    </span>
  )
}
