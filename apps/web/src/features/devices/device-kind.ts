import type { SignedInDevice } from '@hufu/contract/devices'

export type DeviceKind = 'phone' | 'tablet' | 'laptop' | 'desktop' | 'tv' | 'unknown'

/** The first that fits: the server's word for the device or its model, then the system. */
const signs: [DeviceKind, RegExp][] = [
  ['tablet', /平板|ipad|tablet|\btab\b|matepad/i],
  ['tv', /电视|\btv\b/i],
  ['phone', /手机|iphone|ipod/i],
  ['laptop', /mac ?os|chrome ?os|macbook/i],
  ['phone', /android|ios|harmony/i],
  ['desktop', /电脑|windows|linux|ubuntu/i],
]

export function deviceKind({ device, os }: Pick<SignedInDevice, 'device' | 'os'>): DeviceKind {
  const said = `${device} ${os}`
  return signs.find(([, sign]) => sign.test(said))?.[0] ?? 'unknown'
}
