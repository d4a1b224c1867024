import './mobile-field.css'
import { fallbackRegion } from '@hufu/contract/regions'
import { ChevronDown } from 'lucide-react'
import { type Ref, useState } from 'react'
import { useDevice } from '../../lib/device/device.ts'
import { cleanMobile, groupMobile } from '../../lib/mobile-number.ts'
import { Field } from '../../ui/fields/field.tsx'
import { useIdentityText } from '../identity.text.ts'
import type { MobileNumber } from './mobile-receiver.ts'

interface Props {
  value: MobileNumber
  onChange: (number: MobileNumber) => void
  /** After a code was sent the number is shown in groups until it is edited. */
  settled: boolean
  error: string | undefined
  /** Shown above the field; without it the label is only for screen readers. */
  label?: string
  /** Passkeys may stand among the browser's suggestions. */
  passkeys?: boolean
  ref?: Ref<HTMLInputElement>
}

export function MobileField({ value: { region, mobile }, onChange, settled, error, label, passkeys, ref }: Props) {
  const text = useIdentityText().credentials
  const offered = useDevice((device) => device.regions)
  const regions = offered.length > 0 ? offered : [fallbackRegion]
  const [touched, setTouched] = useState(false)
  const choose = (key: string) => {
    const chosen = regions.find((each) => each.key === key)
    if (chosen) onChange({ region: chosen, mobile })
  }
  return (
    <Field label={label ?? text.mobile} quiet={label === undefined} error={error}>
      {(control) => (
        <div className="box">
          <span className="prefix">
            <span aria-hidden="true">+{region.prefix}</span>
            <ChevronDown />
            <select aria-label={text.prefix} value={region.key} onChange={(event) => choose(event.target.value)}>
              {regions.map(({ key, name, prefix }) => (
                <option key={key} value={key}>
                  {name} +{prefix}
                </option>
              ))}
            </select>
          </span>
          <input
            {...control}
            ref={ref}
            type="tel"
            inputMode="tel"
            autoComplete={passkeys ? 'tel-national webauthn' : 'tel-national'}
            placeholder={text.mobilePlaceholder}
            value={settled && !touched ? groupMobile(mobile) : mobile}
            onFocus={() => setTouched(true)}
            onBlur={() => setTouched(false)}
            onChange={(event) => onChange({ region, mobile: cleanMobile(event.target.value, region.prefix) })}
          />
        </div>
      )}
    </Field>
  )
}
