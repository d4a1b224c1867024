import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useGoBack } from '../../lib/history/go-back.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { FormSkeleton } from '../../ui/fields/form-card.tsx'
import { useCameBack } from './left-check.ts'
import { useStepUpText } from './step-up.text.ts'
import { checkQuery, useAskCheck } from './two-factor.api.ts'

/** Shows its content only after a step-up check of the last minutes; otherwise leads to the check. */
export function Checked({ children }: { children: ReactNode }) {
  const text = useStepUpText()
  const checked = useChecked()
  const cameBack = useCameBack()
  const goBack = useGoBack()
  const askCheck = useAskCheck()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it turns out
  useEffect(() => {
    if (checked !== false) return
    if (cameBack.current) goBack(1)
    else askCheck()
  }, [checked])
  // When a check expires, the form stays until the page is left, so that the input is kept.
  const [shown, setShown] = useState(false)
  if (checked && !shown) setShown(true)
  if (checked || shown) return children
  return <FormSkeleton label={text.waiting} />
}

/** Undefined until it is known. A cached success counts; the server checks again anyway. */
function useChecked(): boolean | undefined {
  const visitor = useQuery({ ...visitorQuery, refetchOnMount: 'always', refetchOnWindowFocus: 'always' })
  const state = useQuery(checkQuery)
  const checked = visitor.data?.user?.twoFactor === true
  const asked = visitor.isFetchedAfterMount || visitor.failureReason !== null
  if (!asked && (!checked || visitor.isStale)) return undefined
  if (!checked || state.failureReason) return checked
  return state.isFetchedAfterMount ? state.data?.second.length === 0 : undefined
}
