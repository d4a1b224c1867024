import { useState } from 'react'
import { MerchantFrame } from '../../../frame/merchant-frame.tsx'
import { useDevice } from '../../../lib/device/device.ts'
import { isDark } from '../../../lib/device/device-rules.ts'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { Segmented } from '../../../ui/fields/segmented.tsx'
import { type OpenedConfig, textOf } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { ConfigHistory } from '../history/config-history.tsx'
import { ConfigPreview } from '../preview/config-preview.tsx'
import type { PreviewView } from '../preview/config-preview-sizes.ts'
import { useConfigPreview } from '../preview/use-config-preview.ts'
import { ConfigActions, UnsavedBadge } from './config-actions.tsx'
import { ConfigCard } from './config-card.tsx'
import { ConfigLeaving } from './config-leaving.tsx'
import { ConfigSteps } from './config-steps.tsx'
import { useConfigDraft, useFaultShowing } from './use-config-draft.ts'
import { useChanges, useConfigFaults } from './use-config-faults.ts'
import { useConfigSave } from './use-config-save.ts'

interface Props {
  newest: OpenedConfig
  userId: string
  mayChange: boolean
}

/** How long typing must pause before the text is checked. */
const restMs = 400

/** The editor and what belongs to it, side by side or, on phones, one at a time. */
export function ConfigWorkspace({ newest, userId, mayChange }: Props) {
  const text = useConfigText()
  const { narrow, part, choice } = useParts()
  const [view, setView] = useState(firstView)
  const [draft, setDraft] = useConfigDraft(userId, newest)
  const { debounced, flush } = useDebounced(draft.text, restMs)
  const faults = useConfigFaults(debounced)
  const { count, changed } = useChanges(draft.before, debounced)
  const { editor, showFaults } = useFaultShowing(faults, flush)
  const previewing = useConfigPreview(debounced, part === 'preview')
  const saving = useConfigSave({ userId, draft, onDraft: setDraft, onFaults: showFaults })
  const dirty = draft.text !== draft.before
  const edit = (change: (text: string) => string) => setDraft((before) => ({ ...before, text: change(before.text) }))
  const refused = mayChange ? undefined : text.notAllowed
  const actions = (
    <ConfigActions
      dirty={dirty}
      refused={refused}
      busy={saving.busy}
      onSave={saving.begin}
      onDiscard={() => setDraft({ ...draft, text: draft.before })}
    />
  )
  const badge = <UnsavedBadge count={dirty ? count : 0} />
  const aside = narrow ? undefined : (
    <>
      {badge}
      {actions}
    </>
  )
  return (
    <MerchantFrame title={text.title} aside={aside}>
      {narrow && choice}
      <div className="bench">
        <div hidden={narrow && part !== 'edit'}>
          <ConfigCard
            ref={editor}
            text={draft.text}
            faults={faults}
            changed={changed}
            refused={refused}
            onChange={(now) => edit(() => now)}
            onEdit={edit}
          />
          {narrow && (
            <div className="bench-acts">
              <p>{badge}</p>
              {actions}
            </div>
          )}
        </div>
        <div className="bench-side">
          {!narrow && choice}
          {part === 'preview' && <ConfigPreview previewing={previewing} view={view} onView={setView} />}
          {part === 'history' && (
            <ConfigHistory
              present={{ version: newest.version, text: textOf(newest.config) }}
              refused={refused ?? (dirty ? text.restoreDirty : undefined)}
              busy={saving.busy}
              onRestore={saving.restore}
            />
          )}
        </div>
      </div>
      <ConfigSteps draft={draft} saving={saving} />
      <ConfigLeaving dirty={dirty} />
    </MerchantFrame>
  )
}

/** Below this width everything stands in one column, one part at a time. */
const narrowest = 768

type Part = 'edit' | 'preview' | 'history'

/** Which parts are seen: on phones one of three, else one of two beside the editor. */
function useParts() {
  const text = useConfigText()
  const narrow = useDevice(({ width }) => width < narrowest)
  const [chosen, setChosen] = useState<Part>('edit')
  const part = !narrow && chosen === 'edit' ? 'preview' : chosen
  const beside: { value: Part; label: string }[] = [
    { value: 'preview', label: text.previewTab },
    { value: 'history', label: text.historyTab },
  ]
  const options = narrow ? [{ value: 'edit' as const, label: text.edit }, ...beside] : beside
  const choice = (
    <div className="bench-parts">
      <Segmented label={text.parts} value={part} options={options} onChange={setChosen} />
    </div>
  )
  return { narrow, part, choice }
}

/** As most users will meet the site, in the light in which it is edited. */
const firstView = (): PreviewView => ({ path: '/login', screen: 'phone', dark: isDark(useDevice.getState()) })
