import type { UserInfo } from '@hufu/contract/profile'
import { useChangeAccount } from '../../../identity/other-account/use-change-account.ts'
import { maskMobile } from '../../../lib/mobile-number.ts'
import { resumePath } from '../../../session/interaction.api.ts'
import { nameOf } from '../../../session/user.ts'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { useConsentText } from './consent.text.ts'

/** Name and masked number, which may be the same. */
function wordsOf(user: UserInfo): [string, string] {
  const mobile = user.mobile ? maskMobile(user.mobile) : ''
  const name = nameOf(user)
  return [name === mobile ? '' : name, mobile]
}

/** Which account it is about, and the way to another one. */
export function CurrentAccount({ user, id }: { user: UserInfo; id: string }) {
  const text = useConsentText().consent
  const { mutate, isPending, error } = useChangeAccount(resumePath(id))
  return (
    <>
      <p className="consent-account">
        {text.account(...wordsOf(user))}
        <button type="button" className="link" aria-busy={isPending || undefined} onClick={() => isPending || mutate()}>
          {text.change}
        </button>
      </p>
      <ErrorLine message={error?.message} />
    </>
  )
}
