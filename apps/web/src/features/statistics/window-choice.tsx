import { type Window, windows } from '@hufu/contract/statistics-rules'
import { useStatisticsText } from '../../lib/statistics-text.ts'
import { Segmented } from '../../ui/segmented.tsx'

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
