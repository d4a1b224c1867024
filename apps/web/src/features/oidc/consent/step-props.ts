import type { Interaction } from '@hufu/contract/oidc'
import type { UserInfo } from '@hufu/contract/profile'
import type { useAnswer } from './consent.api.ts'

/** What every step of the page takes. */
export interface StepProps {
  id: string
  user: UserInfo
  interaction: Interaction
  answer: ReturnType<typeof useAnswer>
}
