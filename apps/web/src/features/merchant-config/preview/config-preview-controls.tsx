import { Segmented } from '../../../ui/fields/segmented.tsx'
import { useConfigText } from '../config.text.ts'
import type { PreviewView } from './config-preview-sizes.ts'

interface Props {
  view: PreviewView
  onView: (view: PreviewView) => void
}

/** Which page, on which screen, in which light. */
export function PreviewControls({ view, onView }: Props) {
  const text = useConfigText().preview
  return (
    <div className="preview-controls">
      <Segmented
        label={text.page}
        value={view.path}
        options={[
          { value: '/login' as const, label: text.login },
          { value: '/user' as const, label: text.user },
        ]}
        onChange={(path) => onView({ ...view, path })}
      />
      <Segmented
        label={text.screen}
        value={view.screen}
        options={[
          { value: 'phone' as const, label: text.phone },
          { value: 'desktop' as const, label: text.desktop },
        ]}
        onChange={(screen) => onView({ ...view, screen })}
      />
      <Segmented
        label={text.light}
        value={view.dark}
        options={[
          { value: false, label: text.bright },
          { value: true, label: text.dark },
        ]}
        onChange={(dark) => onView({ ...view, dark })}
      />
    </div>
  )
}
