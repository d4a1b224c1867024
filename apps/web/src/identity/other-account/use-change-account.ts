import { pages } from '@hufu/contract/pages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { preloadPage } from '../../lib/page-loader.ts'
import { loginLeadingTo } from '../../session/login-source.ts'
import { forgetUser, logOut } from '../../session/profile.api.ts'

/** Signs out and goes to the sign-in page; the page is left in the same render in which the user is forgotten. */
export function useChangeAccount(to: string) {
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
