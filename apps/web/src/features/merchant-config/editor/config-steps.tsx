import { textOf } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { ConflictDialog, ReviewDialog } from './config-dialogs.tsx'
import type { Draft } from './config-draft.ts'
import type { ConfigSaving } from './use-config-save.ts'

/** What saving asks on its way. */
export function ConfigSteps({ draft, saving }: { draft: Draft; saving: ConfigSaving }) {
  const text = useConfigText()
  const { step, busy, confirm, goOn, takeOver, cancel } = saving
  if (step?.kind === 'review')
    return (
      <ReviewDialog
        title={text.saveTitle}
        hint={text.saveHint}
        before={draft.before}
        after={textOf(step.config)}
        go={text.saveGo}
        busy={busy}
        onGo={() => confirm(step.config)}
        onCancel={cancel}
      />
    )
  if (step?.kind === 'conflict')
    return (
      <ConflictDialog
        draft={draft}
        newest={step.newest}
        onGoOn={() => goOn(step.newest)}
        onTakeOver={() => takeOver(step.newest)}
        onCancel={cancel}
      />
    )
  return null
}
