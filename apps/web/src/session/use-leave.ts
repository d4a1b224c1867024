import { pages } from '@hufu/contract/pages'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { preloadPage } from '../lib/page-loader.ts'
import { showToast } from '../ui/toast.tsx'
import { forgetUser } from './profile.api.ts'
import { useSessionText } from './session.text.ts'

/** Ends this browser's session by the given call; the page is left in the same render in which the user is forgotten. */
export function useLeave<Input = void>(end: (input: Input) => Promise<unknown>, onError: (error: Error) => void) {
  const text = useSessionText()
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (input: Input) => {
      // The next page is loaded meanwhile, so that this one is never rendered without its user.
      preloadPage(pages.home)
      await end(input)
      await client.cancelQueries()
    },
    onSuccess: () => {
      showToast('good', text.loggedOut)
      void navigate(pages.home)
      forgetUser(client)
    },
    onError,
  })
}
