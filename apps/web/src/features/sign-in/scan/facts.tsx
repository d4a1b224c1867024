import type { ScanAsked } from '@hufu/contract/scan-login'
import { TriangleAlert, Wifi } from 'lucide-react'
import { useUser } from '../../../session/profile.api.ts'
import { nameOf, shownMobile } from '../../../session/user.ts'
import { BrowserFact, Fact } from '../../../ui/facts.tsx'
import { useScanLoginText } from './scan-login.text.ts'

const two = (number: number) => String(number).padStart(2, '0')

/** What asks to be signed in, and as whom. */
export function Facts({ asked: { site, host, browser, os, region, ip, time } }: { asked: ScanAsked }) {
  const text = useScanLoginText().approve
  const then = new Date(time)
  const clock = `${two(then.getHours())}:${two(then.getMinutes())}`
  return (
    <dl className="facts">
      <Account />
      <Fact name={text.site} note={host}>
        {site}
      </Fact>
      <BrowserFact name={text.device} browser={browser} os={os} />
      <Fact name={text.region} note={`IP ${ip}`}>
        {region ?? text.unknownRegion}
      </Fact>
      <Fact name={text.time}>{text.moment(then.getMonth() + 1, then.getDate(), clock)}</Fact>
    </dl>
  )
}

/** A phone may be signed in with another account than its owner thinks. */
function Account() {
  const text = useScanLoginText().approve
  const { user } = useUser()
  if (!user) return null
  const name = nameOf(user)
  const mobile = shownMobile(user)
  return (
    <Fact name={text.account} note={mobile?.endsWith(name) ? undefined : mobile}>
      {name}
    </Fact>
  )
}

/** The region of the other browser; undefined where it is unknown. */
export function Network({ network }: Pick<ScanAsked, 'network'>) {
  const text = useScanLoginText().approve
  if (network === null) return null
  const Icon = network === 'same' ? Wifi : TriangleAlert
  return (
    <p className={`notice ${network === 'same' ? 'good' : 'warn'}`}>
      <Icon />
      <span>{text[network]}</span>
    </p>
  )
}
