import './other-account.css'
import type { UserInfo } from '@hufu/contract/profile'
import { nameOf } from '../../session/user.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { useOtherAccountText } from './other-account.text.ts'
import { useChangeAccount } from './use-change-account.ts'

interface Props {
  user: UserInfo
  /** Where the other account continues after sign-in. */
  to: string
}

/** A link may concern another account than the one signed in here: shows which one is signed in, and lets the user change it. */
export function OtherAccount({ user, to }: Props) {
  const text = useOtherAccountText()
  const { mutate, isPending, error } = useChangeAccount(to)
  return (
    <div className="other-account">
      <p>{text.signedInAs(nameOf(user))}</p>
      <Button kind="text" busy={isPending} onClick={() => mutate()}>
        {text.change}
      </Button>
      <ErrorLine message={error?.message} />
    </div>
  )
}
