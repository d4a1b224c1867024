import { useState } from 'react'
import { useConfigText } from '../../lib/config-text.ts'
import { useDevice } from '../../lib/device.ts'
import { useRested } from '../../lib/use-rested.ts'
import { MerchantFrame } from '../../ui/merchant-frame.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { type OpenedConfig, textOf } from './config.api.ts'
import { ConfigActions, UnsavedBadge } from './config-actions.tsx'
import { ConfigCard } from './config-card.tsx'
import { ConfigHistory } from './config-history.tsx'
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

/** How long typing rests before the text is looked at. */
const restMs = 400
const narrowest = 768

/** The editor and what belongs to it, side by side or, on phones, one at a time. */
export function ConfigBench({ newest, userId, mayChange }: Props) {
  const text = useConfigText()
  const narrow = useDevice(({ width }) => width < narrowest)
  const [part, setPart] = useState<'edit' | 'history'>('edit')
  const [draft, setDraft] = useConfigDraft(userId, newest)
  const { rested, hurry } = useRested(draft.text, restMs)
  const faults = useConfigFaults(rested)
  const { count, changed } = useChanges(draft.before, rested)
  const { editor, showFaults } = useFaultShowing(faults, hurry)
  const saving = useConfigSave({ userId, draft, onDraft: setDraft, onFaults: showFaults })
  const dirty = draft.text !== draft.before
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
  const options = [
    { value: 'edit' as const, label: text.edit },
    { value: 'history' as const, label: text.historyTab },
  ]
  return (
    <MerchantFrame title={text.title} aside={aside}>
      {narrow && (
        <div className="bench-parts">
          <Segmented label={text.parts} value={part} options={options} onChange={setPart} />
        </div>
      )}
      <div className="bench">
        <div hidden={narrow && part !== 'edit'}>
          <ConfigCard
            ref={editor}
            text={draft.text}
            faults={faults}
            changed={changed}
            readOnly={!mayChange}
            badge={narrow && badge}
            onChange={(now) => setDraft((before) => ({ ...before, text: now }))}
          />
          {narrow && <div className="bench-acts">{actions}</div>}
        </div>
        <div hidden={narrow && part !== 'history'}>
          <ConfigHistory
            present={{ version: newest.version, text: textOf(newest.config) }}
            refused={refused ?? (dirty ? text.restoreDirty : undefined)}
            busy={saving.busy}
            onRestore={saving.restore}
          />
        </div>
      </div>
      <ConfigSteps draft={draft} saving={saving} />
      <ConfigLeaving dirty={dirty} />
    </MerchantFrame>
  )
}
