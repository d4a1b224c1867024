import { useEffect, useRef, useState } from 'react'
import type { JsonEditorHandle } from '../../../ui/json-editor/json-editor.tsx'
import type { EditorFault } from '../../../ui/json-editor/json-marks.ts'
import type { OpenedConfig } from '../config.api.ts'
import { draftOf, forgetDraft, keptDraft } from './config-draft.ts'

/** The edited text. Unchanged it follows what others save; changed it stays, and saving detects the conflict. */
export function useConfigDraft(userId: string, newest: OpenedConfig) {
  const [draft, setDraft] = useState(() => keptDraft(userId) ?? draftOf(newest))
  useEffect(() => forgetDraft(userId), [userId])
  useEffect(() => {
    setDraft((now) => (now.text === now.before && now.version !== newest.version ? draftOf(newest) : now))
  }, [newest])
  return [draft, setDraft] as const
}

/** Leads to the first fault, as soon as it is known. */
export function useFaultShowing(faults: EditorFault[], flush: () => void) {
  const editor = useRef<JsonEditorHandle>(null)
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    if (!wanted || faults.length === 0) return
    setWanted(false)
    editor.current?.showFault()
  }, [wanted, faults])
  const showFaults = () => {
    flush()
    setWanted(true)
  }
  return { editor, showFaults }
}
