import { pages } from '@hufu/contract/pages'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { EnrolRequiredPage } from '../frame/enrol-required-page.tsx'
import { isCheckOwed } from '../identity/step-up/two-factor.api.ts'
import { onCallFailure } from '../lib/call/call.ts'
import { move } from '../lib/history/history-guard.ts'
import { useNow } from '../lib/time/use-now.ts'
import { useUser, visitorQuery } from '../session/profile.api.ts'

const CheckDialog = lazy(() => import('../identity/step-up/check-dialog.tsx'))

/** Around every back-office page: what any of its calls may be refused for until the operator has given a second factor. */
export function BackOffice({ children }: { children: ReactNode }) {
  const { user } = useUser()
  const now = useNow()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { unenrolled, owed, settle } = useRefusals()
  const late = typeof user?.enrolBy === 'number' && user.enrolBy <= now
  if (user && !user.protected && (unenrolled || late)) return <EnrolRequiredPage />
  const goOn = () => {
    settle()
    void client.invalidateQueries()
  }
  const leave = () => move(() => void navigate(pages.user))
  return (
    <>
      {children}
      <Suspense>{owed && <CheckDialog onProved={goOn} onLeave={leave} />}</Suspense>
    </>
  )
}

/** A page that leads to the step-up by itself has begun to by then. */
const patienceMs = 200

function useRefusals() {
  const client = useQueryClient()
  const [unenrolled, setUnenrolled] = useState(false)
  const [owed, setOwed] = useState(false)
  useEffect(() => {
    let timer: number | undefined
    const ask = () => window.location.pathname === pages.twoFactor || setOwed(true)
    const stop = onCallFailure((failure) => {
      if (failure.code === 'FACTOR_ENROL_REQUIRED') {
        setUnenrolled(true)
        void client.invalidateQueries({ queryKey: visitorQuery.queryKey })
      } else if (isCheckOwed(failure) && failure.details?.factor === true) {
        window.clearTimeout(timer)
        timer = window.setTimeout(ask, patienceMs)
      }
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [client])
  return { unenrolled, owed, settle: () => setOwed(false) }
}
