import '../../ui/badge.css'
import './devices-page.css'
import { pages } from '@hufu/contract/pages'
import { useQuery } from '@tanstack/react-query'
import { CloudOff, LogOut, MonitorSmartphone } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Frame } from '../../frame/frame.tsx'
import { useUser } from '../../session/profile.api.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Pager } from '../../ui/pager.tsx'
import { DeviceBones } from './device-bones.tsx'
import { DeviceCard } from './device-card.tsx'
import { devicesQuery, usePageSize } from './devices.api.ts'
import { useDevicesText } from './devices.text.ts'
import { RemovalDialog, type Removing } from './removal-dialog.tsx'

export default function DevicesPage() {
  const text = useDevicesText().devices
  const { user } = useUser()
  const { count, devices, page, pageCount, goTo, trouble, askAgain } = useDevicePages(user?.id ?? '')
  const [removing, setRemoving] = useState<Removing>()
  const list = useRef<HTMLUListElement>(null)
  const [removals, setRemovals] = useState(0)
  const done = () => {
    setRemoving(undefined)
    setRemovals((count) => count + 1)
  }
  // The button that was pressed is gone with its card.
  useEffect(() => {
    if (removals > 0) list.current?.focus()
  }, [removals])
  return (
    <Frame title={text.title}>
      <div className="devices-head">
        <p>
          <span>{count === undefined ? text.counting : text.count(count)}</span>
          {text.stranger}
          <Link to={pages.changePassword}>{text.changePassword}</Link>
        </p>
        <div className="devices-acts">
          <Button kind="danger" disabled={count === undefined || count <= 1} onClick={() => setRemoving('others')}>
            <LogOut />
            {text.removeAll}
          </Button>
          <ButtonLink kind="text" to={pages.security}>
            {text.toSecurity}
          </ButtonLink>
        </div>
      </div>
      {trouble && (
        <Empty icon={CloudOff} message={trouble}>
          <Button kind="soft" onClick={askAgain}>
            {text.tryAgain}
          </Button>
        </Empty>
      )}
      {!devices && !trouble && <DeviceBones />}
      {devices?.length === 0 && <Empty icon={MonitorSmartphone} message={text.empty} />}
      {devices && devices.length > 0 && (
        <ul className="devices" ref={list} tabIndex={-1} aria-label={text.list}>
          {devices.map((device) => (
            <DeviceCard key={device.id} device={device} onRemove={() => setRemoving(device)} />
          ))}
        </ul>
      )}
      <Pager page={page} pages={pageCount} onPage={goTo} />
      {removing && <RemovalDialog removing={removing} onDone={done} onCancel={() => setRemoving(undefined)} />}
    </Frame>
  )
}

/** The page of the list one is on; what was its first device stays on the page when the width changes. */
function useDevicePages(userId: string) {
  const top = usePageSize()
  const [wanted, setWanted] = useState(0)
  const skip = wanted - (wanted % top)
  const { data, failureReason, refetch, isPlaceholderData } = useQuery(devicesQuery(userId, { top, skip }))
  const count = data?.count
  // A page whose last device is gone steps back to the one before.
  const last = count && !isPlaceholderData ? Math.floor((count - 1) / top) * top : skip
  useEffect(() => {
    if (skip > last) setWanted(last)
  }, [skip, last])
  return {
    count,
    devices: data && [...data.data].sort((one, other) => Number(other.current) - Number(one.current)),
    page: skip / top + 1,
    pageCount: Math.ceil((count ?? 0) / top),
    goTo: (page: number) => setWanted((page - 1) * top),
    trouble: data ? undefined : failureReason?.message,
    askAgain: () => void refetch(),
  }
}
