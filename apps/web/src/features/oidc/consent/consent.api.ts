import type { OidcScope } from '@hufu/contract/oidc'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../lib/call/call.ts'

export interface ConsentAnswer {
  accept: boolean
  scopes?: OidcScope[]
}

/** Leaves this page for good: going back must not return to a request that has been answered. */
export const resumeAt = (address: string) => window.location.replace(address)

/** Answers the client; the browser then continues its sign-in. */
export function useAnswer(id: string) {
  return useMutation({
    mutationFn: (answer: ConsentAnswer) => call('/api/oidc/answer', { id, ...answer }),
    onSuccess: ({ resume }) => resumeAt(resume),
  })
}
