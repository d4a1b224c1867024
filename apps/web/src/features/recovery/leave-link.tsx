import { pages } from '@hufu/contract/pages'
import { ArrowLeft } from 'lucide-react'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { useUser } from '../profile/profile.api.ts'

/** Back to where most people come from. */
export function LeaveLink() {
  const text = useRecoveryText()
  const { user } = useUser()
  return (
    <ButtonLink kind="text" to={user ? pages.user : pages.login}>
      <ArrowLeft />
      {user ? text.toUser : text.toLogin}
    </ButtonLink>
  )
}
