import './device-page.css'
import {
  ALargeSmall,
  AppWindow,
  Copy,
  type LucideIcon,
  MessageCircle,
  MoonStar,
  MoveHorizontal,
  MoveVertical,
  RectangleVertical,
  Smartphone,
} from 'lucide-react'
import { Frame } from '../../frame/frame.tsx'
import { copyText } from '../../lib/copy-text.ts'
import { useDevice } from '../../lib/device/device.ts'
import { isDark, isIphoneX, isPortrait, isWeChat } from '../../lib/device/device-rules.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useProfileText } from './profile.text.ts'

interface Fact {
  icon: LucideIcon
  label: string
  value: string
  long?: boolean
}

export default function DevicePage() {
  const text = useProfileText().device
  const device = useDevice()
  const yes = (flag: boolean) => (flag ? text.yes : text.no)
  const page: Fact[] = [
    { icon: MoveHorizontal, label: text.width, value: text.pixels(device.width) },
    { icon: MoveVertical, label: text.height, value: text.pixels(device.height) },
    { icon: ALargeSmall, label: text.fontSize, value: text.pixels(device.fontSize) },
    { icon: MoonStar, label: text.dark, value: isDark(device) ? text.on : text.off },
    { icon: RectangleVertical, label: text.portrait, value: yes(isPortrait(device)) },
  ]
  const browser: Fact[] = [
    { icon: MessageCircle, label: text.weChat, value: yes(isWeChat(device)) },
    { icon: Smartphone, label: text.iphoneX, value: yes(isIphoneX(device)) },
    { icon: AppWindow, label: text.userAgent, value: device.userAgent, long: true },
  ]
  const copy = () =>
    copyText([...page, ...browser].map(({ label, value }) => `${label}：${value}`).join('\n')).then(
      () => showToast('good', text.copied),
      () => showToast('bad', text.copyFailed),
    )
  return (
    <Frame title={text.title}>
      <Facts title={text.page} facts={page} />
      <Facts title={text.browser} facts={browser} />
      <div className="device-copy">
        <Button kind="soft" onClick={copy}>
          <Copy />
          {text.copy}
        </Button>
      </div>
    </Frame>
  )
}

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  return (
    <Card title={title} rows>
      <dl>
        {facts.map(({ icon: Icon, label, value, long }) => (
          <div className={long ? 'row tall' : 'row'} key={label}>
            <Icon />
            <dt>{label}</dt>
            <dd className="value">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
