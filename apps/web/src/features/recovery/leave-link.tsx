import { pages } from '@hufu/contract/pages'
import { ArrowLeft } from 'lucide-react'
import { useUser } from '../../session/profile.api.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { useRecoveryText } from './recovery.text.ts'

/** Back to where most users come from. */
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
