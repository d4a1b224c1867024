import { pages } from '@hufu/contract/pages'
import { LockKeyhole } from 'lucide-react'
import { usePasskeys } from '../../../identity/factor/passkey-support.ts'
import { ButtonLink } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { useProtectionText } from '../protection.text.ts'

/** An authenticator goes with another way to sign in than the number, which may be lost with the phone. */
export function NeedsWay() {
  const text = useProtectionText()
  const possible = usePasskeys()
  return (
    <Empty
      icon={LockKeyhole}
      title={text.needsWay.title}
      message={text.needsWay.text + (possible ? text.needsWay.passkey : '')}
    >
      <ButtonLink to={pages.changePassword}>{text.needsWay.password}</ButtonLink>
    </Empty>
  )
}
