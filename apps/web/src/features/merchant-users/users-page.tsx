import './users-page.css'
import type { UserRow, UserStatus } from '@hufu/contract/merchant-users'
import { pages } from '@hufu/contract/pages'
import { Ban, CircleCheck, Download, IdCard, Send } from 'lucide-react'
import { useNavigate } from 'react-router'
import { MerchantFrame } from '../../frame/merchant-frame.tsx'
import { mayMerchant } from '../../frame/navigation.ts'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { useListAddress } from '../../lib/list-address.ts'
import { useUser } from '../../session/profile.api.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import type { Action } from '../../ui/data-table/data-table-props.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ExportCard } from './export-card.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useUserColumns } from './user-columns.tsx'
import { UserFilters } from './user-filters.tsx'
import { callName, userPath } from './user-name.ts'
import { useStatusChange, useUserList } from './users.api.ts'
import { filterIn, wantedOf } from './wanted.ts'

/** The open dialog: kept during an identity check. */
type Asking = { what: 'export' } | { what: UserStatus; rows: UserRow[] } | undefined

export default function UsersPage() {
  const text = useMerchantUsersText().users
  return (
    <MerchantFrame title={text.title} bare>
      <Users />
    </MerchantFrame>
  )
}

function Users() {
  const text = useMerchantUsersText().users
  const navigate = useNavigate()
  const address = useListAddress()
  const filter = filterIn(address.params)
  const wanted = wantedOf(filter)
  const listing = useUserList(wanted, address.page)
  const [asking, setAsking] = useKeptInput<Asking>(pages.merchantUsers, () => undefined)
  const close = () => setAsking(undefined)
  return (
    <>
      <ExportCard onAgain={() => setAsking({ what: 'export' })} />
      <DataTable
        title={text.title}
        counted={text.counted}
        columns={useUserColumns()}
        listing={listing}
        about={JSON.stringify(wanted)}
        page={address.page}
        onPage={address.goTo}
        actions={useUserActions(setAsking)}
        nameOf={callName}
        onOpen={({ id }) => void navigate(userPath(id))}
        empty={text.empty}
      >
        <UserFilters filter={filter} onChange={address.change} />
      </DataTable>
      {asking?.what === 'export' && <ExportDialog filter={filter} onClose={close} />}
      {asking && asking.what !== 'export' && <StatusDialog status={asking.what} rows={asking.rows} onClose={close} />}
    </>
  )
}

function useUserActions(ask: (asking: Asking) => void): Action<UserRow>[] {
  const text = useMerchantUsersText()
  const navigate = useNavigate()
  const { user } = useUser()
  const refused = (right: 'WRITE' | 'ADMIN') => (mayMerchant(user?.permission, right) ? undefined : text.notAllowed)
  const { view, disable, enable, push, export: exportLabel, allDisabled, noneDisabled } = text.users
  const change = (what: UserStatus, none: string) => (rows: UserRow[]) => {
    const others = rows.filter(({ status }) => status !== what)
    if (others.length === 0) showToast('bad', none)
    else ask({ what, rows: others })
  }
  const withOne = (go: (id: string) => string) => (rows: UserRow[]) => rows[0] && void navigate(go(rows[0].id))
  return [
    { label: view, icon: IdCard, select: 'single', run: withOne(userPath) },
    {
      label: push,
      icon: Send,
      select: 'single',
      refused: refused('WRITE'),
      run: withOne((id) => `${pages.merchantWechat}?user=${id}`),
    },
    {
      label: enable,
      icon: CircleCheck,
      select: 'multiple',
      refused: refused('ADMIN'),
      run: change('active', noneDisabled),
    },
    {
      label: disable,
      icon: Ban,
      kind: 'danger',
      select: 'multiple',
      refused: refused('ADMIN'),
      run: change('disabled', allDisabled),
    },
    {
      label: exportLabel,
      icon: Download,
      kind: 'quiet',
      refused: refused('ADMIN'),
      run: () => ask({ what: 'export' }),
    },
  ]
}

function StatusDialog({ status, rows, onClose }: { status: UserStatus; rows: UserRow[]; onClose: () => void }) {
  const text = useMerchantUsersText().users
  const { mutate, isPending } = useStatusChange(onClose)
  const who = text.named(rows[0] ? callName(rows[0]) : '', rows.length)
  const disables = status === 'disabled'
  return (
    <Dialog
      danger={disables}
      title={disables ? text.disableTitle : text.enableTitle}
      go={disables ? text.disable : text.enable}
      busy={isPending}
      onGo={() => mutate({ ids: rows.map(({ id }) => id), status })}
      onCancel={onClose}
    >
      {disables ? text.disableMessage(who) : text.enableMessage(who)}
    </Dialog>
  )
}
