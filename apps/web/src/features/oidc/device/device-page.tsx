import './device.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { Entry } from '../../../frame/entry.tsx'
import { usePageTitle } from '../../../lib/use-page-title.ts'
import { loginLeadingTo } from '../../../session/login-source.ts'
import { useUser } from '../../../session/profile.api.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { deviceQuery, isOver } from './device.api.ts'
import { useDeviceText } from './device.text.ts'
import { DeviceCard } from './device-card.tsx'
import { DeviceResult } from './device-result.tsx'
import { NeedsProtection } from './needs-protection.tsx'

/** Where the QR code of a device leads. Needs a session: other visitors sign in first and return to the same device. */
export default function DevicePage() {
  usePageTitle(useDeviceText().title)
  const { pathname } = useLocation()
  const { code = '' } = useParams()
  const { user, signedOut, trouble, askAgain } = useUser()
  const [approved, setApproved] = useState<boolean>()
  if (approved !== undefined) return <DeviceResult approved={approved} />
  if (signedOut) return <Navigate replace to={loginLeadingTo(pathname)} />
  if (!user && !trouble) return <LoadingScreen />
  return (
    <Entry>
      {user ? (
        <Waiting key={code} code={code} user={user} onDone={setApproved} />
      ) : (
        <Failed message={trouble ?? ''} onRetry={askAgain} />
      )}
    </Entry>
  )
}

interface WaitingProps {
  code: string
  user: UserInfo
  onDone: (approved: boolean) => void
}

function Waiting({ code, user, onDone }: WaitingProps) {
  const text = useDeviceText()
  const { data, error, refetch } = useQuery(deviceQuery(code))
  if (isOver(error)) return <Over message={error?.message ?? ''} />
  if (error) return <Failed message={error.message} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label={text.loading} rows={5} />
  if (data.needsProtection) return <NeedsProtection asked={data} onDone={onDone} />
  return <DeviceCard asked={data} user={user} onDone={onDone} />
}

function Over({ message }: { message: string }) {
  const text = useDeviceText()
  return (
    <>
      <div className="lead">
        <h1>{text.over}</h1>
        <p>{text.overLead}</p>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      <ButtonLink wide to={pages.deviceLogin}>
        {text.again}
      </ButtonLink>
      <p className="device-hint">{text.overNext}</p>
    </>
  )
}

function Failed({ message, onRetry }: { message: string; onRetry: () => void }) {
  const text = useDeviceText()
  return (
    <>
      <div className="lead">
        <h1>{text.failed}</h1>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      <Button wide onClick={onRetry}>
        {text.retry}
      </Button>
    </>
  )
}
