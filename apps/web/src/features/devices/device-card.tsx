import type { SignedInDevice } from '@hufu/contract/devices'
import { Laptop, Monitor, MonitorSmartphone, Smartphone, Tablet, Tv } from 'lucide-react'
import { whenOf } from '../../lib/time/when.ts'
import { Button } from '../../ui/button.tsx'
import { deviceKind } from './device-kind.ts'
import { useDevicesText } from './devices.text.ts'

const icons = {
  phone: Smartphone,
  tablet: Tablet,
  laptop: Laptop,
  desktop: Monitor,
  tv: Tv,
  unknown: MonitorSmartphone,
}

interface Props {
  device: SignedInDevice
  onRemove: () => void
}

/** One signed-in browser: what it is, where and when it was used last. */
export function DeviceCard({ device, onRemove }: Props) {
  const text = useDevicesText()
  const { browser, os, region, ip, lastAccess, current } = device
  const Icon = icons[deviceKind(device)]
  return (
    <li className={current ? 'card device here' : 'card device'}>
      <span className="device-icon">
        <Icon />
      </span>
      <div className="device-facts">
        <b>
          <span>
            <span className="whole">{browser}</span> <span className="mid" /> <span className="whole">{os}</span>
          </span>
          {current && <span className="badge brand">{text.devices.here}</span>}
        </b>
        <p className="device-place">
          {region && <span>{region}</span>}
          <span>{ip}</span>
        </p>
        <p className="device-time">{current ? text.devices.inUse : whenOf(lastAccess, Date.now(), text.when)}</p>
      </div>
      <Button kind="quiet" aria-label={text.devices.removeThis(deviceName(device))} onClick={onRemove}>
        {text.devices.remove}
      </Button>
    </li>
  )
}

export const deviceName = ({ browser, os }: SignedInDevice) => `${browser} · ${os}`
