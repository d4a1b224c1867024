import './other-account.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { preloadPage } from '../../lib/page-loader.ts'
import { loginLeadingTo } from '../../session/login-source.ts'
import { forgetUser, logOut } from '../../session/profile.api.ts'
import { nameOf } from '../../session/user.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { useOtherAccountText } from './other-account.text.ts'

interface Props {
  user: UserInfo
  /** Where the other account continues after sign-in. */
  to: string
}

/** A link may concern another account than the one signed in here: shows which one is signed in, and lets the user change it. */
export function OtherAccount({ user, to }: Props) {
  const text = useOtherAccountText()
  const { mutate, isPending, error } = useChange(to)
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

/** Signs out and goes to the sign-in page; the page is left in the same render in which the user is forgotten. */
function useChange(to: string) {
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      // The next page is loaded meanwhile, so that this one is never rendered without its user.
      preloadPage(pages.login)
      await logOut()
      await client.cancelQueries()
    },
    onSuccess: () => {
      void navigate(loginLeadingTo(to))
      forgetUser(client)
    },
  })
}
