import type { FactorState } from '@hufu/contract/factors'
import type { UserInfo } from '@hufu/contract/profile'
import { CloudOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { useFactors } from './protection.api.ts'
import { useProtectionText } from './protection.text.ts'

export interface Loaded {
  user: UserInfo
  factors: FactorState
}

/** Shows its content once the factors are known. */
export function FactorsLoaded({ children }: { children: (loaded: Loaded) => ReactNode }) {
  const text = useProtectionText()
  const { user, factors, trouble, askAgain } = useFactors()
  if (user && factors) return children({ user, factors })
  if (trouble)
    return (
      <Empty icon={CloudOff} message={trouble}>
        <Button kind="soft" onClick={askAgain}>
          {text.tryAgain}
        </Button>
      </Empty>
    )
  return (
    <Card>
      <Skeleton label={text.waiting} rows={3} />
    </Card>
  )
}
