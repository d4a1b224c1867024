import type { OperatorEntry } from '@hufu/contract/operators'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { useListAddress } from '../../lib/list-address.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import type { Column } from '../../ui/data-table/data-table-props.ts'
import { logFilterIn, useLog } from './log.api.ts'
import { useLogText } from './log.text.ts'
import { LogFilters } from './log-filters.tsx'
import { OperatorActionLine, useNote } from './operator-action.tsx'

export default function LogPage() {
  const text = useLogText().log
  return (
    <MerchantFrame title={text.title} bare>
      <Log />
    </MerchantFrame>
  )
}

function Log() {
  const text = useLogText().log
  const address = useListAddress()
  const filter = logFilterIn(address.params, Object.keys(text.kinds))
  return (
    <DataTable
      title={text.title}
      counted={text.counted}
      columns={useColumns()}
      listing={useLog(filter, address.page)}
      page={address.page}
      onPage={address.goTo}
      empty={text.empty}
    >
      <LogFilters filter={filter} onChange={address.change} />
    </DataTable>
  )
}

function useColumns(): Column<OperatorEntry>[] {
  const { log: text, when } = useLogText()
  const now = useNow()
  const note = useNote()
  const { columns } = text
  return [
    { name: 'action', label: columns.action, onCard: 'name', cell: (entry) => <OperatorActionLine entry={entry} /> },
    { name: 'note', label: columns.note, width: 20, onCard: 'line', cell: note },
    {
      name: 'time',
      label: columns.time,
      width: 10.5,
      end: true,
      onCard: 'end',
      cell: ({ time }) => whenOf(time, now, when),
    },
  ]
}
