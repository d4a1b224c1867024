import type { SecurityEntry } from '@hufu/contract/security'
import { useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import type { Column } from '../../ui/data-table/data-table-props.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useSecurityLog } from './user.api.ts'

/** What happened to the account, in words, newest first. */
export function UserSecurity({ id }: { id: string }) {
  const text = useMerchantUsersText().user
  const [page, setPage] = useState(1)
  return (
    <DataTable
      title={text.security}
      counted={text.securityCounted}
      columns={useColumns()}
      listing={useSecurityLog(id, page)}
      page={page}
      onPage={setPage}
      empty={text.noSecurity}
    />
  )
}

function useColumns(): Column<SecurityEntry>[] {
  const { user: text, when } = useMerchantUsersText()
  const now = useNow()
  const { event, device, region, time } = text.securityColumns
  const joined = (...parts: (string | null | undefined)[]) => parts.filter(Boolean).join(' ')
  const words = ({ event, method, count }: SecurityEntry) => {
    const how = method && text.methods[method]
    return joined(
      text.events[event] ?? text.otherEvent,
      how && `（${how}）`,
      count !== null && count > 1 ? text.times(count) : null,
    )
  }
  return [
    { name: 'event', label: event, onCard: 'name', cell: words },
    { name: 'device', label: device, onCard: 'line', cell: ({ browser, os }) => joined(browser, os) },
    { name: 'place', label: region, onCard: 'line', cell: ({ region, ip }) => joined(region, ip) },
    { name: 'time', label: time, width: 10.5, end: true, onCard: 'end', cell: (row) => whenOf(row.time, now, when) },
  ]
}
