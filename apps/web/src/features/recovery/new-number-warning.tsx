import { useSite } from '../../site/site.store.ts'
import { Notice } from '../../ui/notice.tsx'
import { useRecoveryText } from './recovery.text.ts'

/** If the new number signs in meanwhile, it creates its own account and is then taken. */
export function NewNumberWarning() {
  const text = useRecoveryText()
  const open = useSite(({ registration }) => registration === 'open')
  return open ? <Notice kind="warn">{text.newNumber}</Notice> : null
}
