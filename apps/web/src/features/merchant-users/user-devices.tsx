import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { useNow } from '../../lib/time/use-now.ts'
import { whenOf } from '../../lib/time/when.ts'
import { AllowedButton } from '../../ui/allowed-button.tsx'
import { Card } from '../../ui/card.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Skeleton } from '../../ui/waiting.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { useAdminRefusal } from './use-refusal.ts'
import { useUserDevices } from './user.api.ts'

/** The browsers the user is signed in with. */
export function UserDevices({ id, onSignOut }: { id: string; onSignOut: () => void }) {
  const { user: text, when } = useMerchantUsersText()
  const now = useNow()
  const [page, setPage] = useState(1)
  const { count, devices, pages } = useUserDevices(id, page)
  const refused = useAdminRefusal()
  return (
    <Card title={text.devices}>
      {!devices && <Skeleton label={text.waiting} rows={2} />}
      {devices?.length === 0 && <p className="person-none">{text.noDevices}</p>}
      {devices && devices.length > 0 && (
        <ul className="person-list">
          {devices.map(({ id: device, browser, os, region, ip, lastAccess }) => (
            <li key={device}>
              <MonitorSmartphone />
              <span>
                <b>
                  {browser} {os}
                </b>
                <small>{[region, ip].filter(Boolean).join(' ')}</small>
              </span>
              <time dateTime={new Date(lastAccess).toISOString()}>{whenOf(lastAccess, now, when)}</time>
            </li>
          ))}
        </ul>
      )}
      <Pager page={page} pages={pages} onPage={setPage} />
      {count !== undefined && count > 0 && (
        <AllowedButton kind="danger" refused={refused} onClick={onSignOut}>
          {text.allOut}
        </AllowedButton>
      )}
    </Card>
  )
}
