import { Dialog } from '../../ui/dialog.tsx'
import { useExport } from './exports.api.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { type UserFilter, wantedOf } from './wanted.ts'

/** Says what the file will contain, and that the export is recorded. */
export function ExportDialog({ filter, onClose }: { filter: UserFilter; onClose: () => void }) {
  const text = useMerchantUsersText().exports
  const { begin, busy, error } = useExport(onClose)
  return (
    <Dialog
      title={text.title}
      go={text.go}
      busy={busy}
      error={error}
      onGo={() => begin(wantedOf(filter))}
      onCancel={onClose}
    >
      {useWhat(filter)}
      <br />
      {text.recorded}
    </Dialog>
  )
}

function useWhat({ search, only, from, to }: UserFilter): string {
  const { exports: text, users } = useMerchantUsersText()
  if (search) return text.about(text.found(search))
  const scopes = {
    disabled: users.disabled,
    operators: users.operator,
    unprotectedOperators: users.unprotectedOperators,
  }
  const scope = only && scopes[only]
  const range = (from || to) && text.between(from ?? text.start, to ?? text.today)
  const filters = [scope, range].filter(Boolean).join('，')
  return text.about(filters ? text.filtered(filters) : text.all)
}
