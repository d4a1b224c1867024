import '../../ui/notice.css'
import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { TriangleAlert } from 'lucide-react'
import { Link } from 'react-router'
import { useUser } from '../../session/profile.api.ts'
import { useProtectionText } from './protection.text.ts'

/** Without a password and an address only a recovery code helps once the device is lost. */
export function LostDeviceWarning({ factors: { recoverable, operator } }: { factors: FactorState }) {
  const text = useProtectionText().warning
  const { user } = useUser()
  if (recoverable || operator || !user) return null
  return (
    <div className="notice warn protection-warning">
      <TriangleAlert />
      <div>
        <p>{text.text}</p>
        <p className="protection-links">
          {!user.password && <Link to={pages.changePassword}>{text.password}</Link>}
          {!user.email && <Link to={pages.changeEmail}>{text.email}</Link>}
        </p>
      </div>
    </div>
  )
}
