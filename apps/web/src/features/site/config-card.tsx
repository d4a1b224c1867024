import { useQuery } from '@tanstack/react-query'
import { WandSparkles } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { useConfigText } from '../../lib/config-text.ts'
import { Button } from '../../ui/button.tsx'
import { JsonEditor, type JsonEditorHandle } from '../../ui/json-editor.tsx'
import type { EditorFault } from '../../ui/json-marks.ts'
import { showToast } from '../../ui/toast.tsx'
import { schemaQuery, textOf } from './config.api.ts'
import { parseConfig } from './config-parse.ts'

interface Props {
  text: string
  faults: EditorFault[]
  changed: number[]
  readOnly: boolean
  /** Beside the title. */
  badge: ReactNode
  onChange: (text: string) => void
  ref: Ref<JsonEditorHandle>
}

export function ConfigCard({ text, faults, changed, readOnly, badge, onChange, ref }: Props) {
  const words = useConfigText()
  const { data: schema } = useQuery(schemaQuery)
  function format() {
    const parsed = parseConfig(text, words)
    if ('fault' in parsed) showToast('bad', words.invalid)
    else onChange(textOf(parsed.config))
  }
  return (
    <section className="card workpiece" aria-label={words.card}>
      <header>
        <h2>{words.card}</h2>
        {badge}
        {!readOnly && (
          <Button kind="quiet" onClick={format}>
            <WandSparkles />
            {words.format}
          </Button>
        )}
      </header>
      <JsonEditor
        ref={ref}
        label={words.editorLabel}
        value={text}
        faults={faults}
        changed={changed}
        schema={schema}
        readOnly={readOnly}
        onChange={onChange}
      />
    </section>
  )
}
