import { type Window, windows } from '@hufu/contract/statistics-rules'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { useStatisticsText } from './statistics.text.ts'

export function WindowChoice({ value, onChange }: { value: Window; onChange: (window: Window) => void }) {
  const text = useStatisticsText().statistics
  return (
    <Segmented
      label={text.chooseWindow}
      value={value}
      options={windows.map((window) => ({ value: window, label: text.window[window].short }))}
      onChange={onChange}
    />
  )
}
