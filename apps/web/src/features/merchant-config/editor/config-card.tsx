import { useQuery } from '@tanstack/react-query'
import { ImageUp, WandSparkles } from 'lucide-react'
import { type Ref, useState } from 'react'
import { AllowedButton } from '../../../ui/allowed-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { JsonEditor, type JsonEditorHandle } from '../../../ui/json-editor/json-editor.tsx'
import type { EditorFault } from '../../../ui/json-editor/json-marks.ts'
import { showToast } from '../../../ui/toast.tsx'
import { type Config, schemaQuery, textOf } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { parseConfig } from './config-parse.ts'
import { namePicture } from './config-picture.api.ts'
import { ConfigPictures } from './config-pictures.tsx'

interface Props {
  text: string
  faults: EditorFault[]
  changed: number[]
  /** Why nothing may be changed. */
  refused: string | undefined
  onChange: (text: string) => void
  /** Changes the text as it stands by then. */
  onEdit: (change: (text: string) => string) => void
  ref: Ref<JsonEditorHandle>
}

export function ConfigCard({ text, faults, changed, refused, onChange, onEdit, ref }: Props) {
  const words = useConfigText()
  const { data: schema } = useQuery(schemaQuery)
  const [pictures, setPictures] = useState(false)
  /** Continues with the parsed text, or shows its fault. */
  function withConfig(go: (config: Config) => void) {
    const parsed = parseConfig(text, words)
    if ('fault' in parsed) showToast('bad', words.invalid)
    else go(parsed.config)
  }
  return (
    <section className="card workpiece" aria-label={words.card}>
      <header>
        <h2>{words.card}</h2>
        <AllowedButton
          kind="quiet"
          refused={refused}
          aria-haspopup="dialog"
          onClick={() => withConfig(() => setPictures(true))}
        >
          <ImageUp />
          {words.pictures.title}
        </AllowedButton>
        {refused === undefined && (
          <Button kind="quiet" onClick={() => withConfig((config) => onChange(textOf(config)))}>
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
        readOnly={refused !== undefined}
        onChange={onChange}
      />
      {pictures && (
        <ConfigPictures
          text={text}
          onChange={(key, path) => onEdit((now) => namePicture(now, key, path))}
          onClose={() => setPictures(false)}
        />
      )}
    </section>
  )
}
