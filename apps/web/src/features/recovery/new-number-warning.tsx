import { useSite } from '../../site/site.store.ts'
import { Notice } from '../../ui/notice.tsx'
import { useRecoveryText } from './recovery.text.ts'

/** A new number that signs in meanwhile makes an account of its own, and is then taken when it is wanted here. */
export function NewNumberWarning() {
  const text = useRecoveryText()
  const open = useSite(({ registration }) => registration === 'open')
  return open ? <Notice kind="warn">{text.newNumber}</Notice> : null
}
