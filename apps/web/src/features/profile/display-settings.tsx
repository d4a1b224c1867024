import { ALargeSmall, MoonStar } from 'lucide-react'
import { useDevice } from '../../lib/device/device.ts'
import { type FontSize, inForce } from '../../lib/device/device-rules.ts'
import { Card } from '../../ui/card.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { useProfileText } from './profile.text.ts'
import { useChoosePreference } from './use-choose-preference.ts'

/** Dark mode and font size, in force at once. */
export function DisplaySettings({ title }: { title: string }) {
  const text = useProfileText().preference
  const choose = useChoosePreference()
  const dark = useDevice((device) => inForce(device).dark)
  const fontSize = useDevice((device) => inForce(device).fontSize)
  const modes = [
    { value: undefined, label: text.followSystem },
    { value: false, label: text.light },
    { value: true, label: text.darkOn },
  ]
  const sizes: { value: FontSize | undefined; label: string }[] = [
    { value: 12, label: text.small },
    { value: undefined, label: text.standard },
    { value: 16, label: text.large },
    { value: 18, label: text.extraLarge },
  ]
  return (
    <Card title={title} rows>
      <div className="row touched">
        <MoonStar />
        <span>{text.dark}</span>
        <Segmented label={text.dark} value={dark} options={modes} onChange={(value) => choose({ dark: value })} />
      </div>
      <div className="row touched">
        <ALargeSmall />
        <span>{text.fontSize}</span>
        <Segmented
          label={text.fontSize}
          value={fontSize}
          options={sizes}
          onChange={(value) => choose({ fontSize: value })}
        />
      </div>
    </Card>
  )
}
