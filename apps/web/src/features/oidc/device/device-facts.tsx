import type { DeviceAsked } from '@hufu/contract/oidc'
import type { UserInfo } from '@hufu/contract/profile'
import { nameOf, shownMobile } from '../../../session/user.ts'
import { BrowserFact, Fact } from '../../../ui/facts.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useDeviceText } from './device.text.ts'

const two = (number: number) => String(number).padStart(2, '0')

/** What asks to be signed in, and as whom. */
export function DeviceFacts({ asked, user }: { asked: DeviceAsked; user: UserInfo }) {
  const text = useDeviceText()
  const { client, userCode, ip, region, time } = asked
  const then = new Date(time)
  const name = nameOf(user)
  const mobile = shownMobile(user)
  return (
    <dl className="facts device-facts">
      <Fact name={text.account} note={mobile?.endsWith(name) ? undefined : mobile}>
        {name}
      </Fact>
      <Fact name={text.app} note={client.host ?? undefined}>
        {client.name}
      </Fact>
      <Fact name={text.code} note={text.codeNote}>
        <span className="device-code">{userCode}</span>
      </Fact>
      <Device asked={asked} />
      {ip && (
        <Fact name={text.region} note={`IP ${ip}`}>
          {region ?? text.unknownRegion}
        </Fact>
      )}
      <Fact name={text.time}>
        {text.moment(then.getMonth() + 1, then.getDate(), `${two(then.getHours())}:${two(then.getMinutes())}`)}
      </Fact>
    </dl>
  )
}

function Device({ asked: { browser, os } }: { asked: DeviceAsked }) {
  const text = useDeviceText()
  if (browser && os) return <BrowserFact name={text.device} browser={browser} os={os} />
  return <Fact name={text.device}>{browser ?? os ?? text.unknownDevice}</Fact>
}

/** Where the device is, relative to this one, where that is known. */
export function DeviceNetwork({ network }: Pick<DeviceAsked, 'network'>) {
  const text = useDeviceText()
  if (network === null) return null
  return <Notice kind={network === 'same' ? 'good' : 'bad'}>{text[network]}</Notice>
}
