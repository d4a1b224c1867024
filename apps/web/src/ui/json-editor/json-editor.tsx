import './json-editor.css'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { lazy, type Ref, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { useJsonEditorText } from './json-editor.text.ts'
import type { EditorFault } from './json-marks.ts'
import type { JsonSchema } from './json-schema.ts'

export interface JsonEditorHandle {
  /** Leads to the first fault. */
  showFault: () => void
}

export interface JsonEditorProps {
  label: string
  value: string
  onChange: (text: string) => void
  /** In the order in which they are shown. */
  faults?: EditorFault[]
  /** The numbers of the lines that are new. */
  changed?: number[]
  /** Which keys and values are allowed where. */
  schema?: JsonSchema | undefined
  readOnly?: boolean
  ref?: Ref<JsonEditorHandle>
}

export interface Caret {
  line: number
  column: number
}

/** The editor is loaded on demand: it is larger than the rest of the page. */
const JsonView = lazy(() => import('./json-view.tsx'))

/** It needs constructable stylesheets in a shadow root, which the CSP allows and old browsers lack: those get a plain field. */
const drawsEditor = typeof ShadowRoot === 'function' && 'adoptedStyleSheets' in ShadowRoot.prototype

/** Edits a JSON text of 10 to 20 rows; a longer one scrolls inside. */
export function JsonEditor({ faults = [], changed = [], readOnly = false, ref, ...rest }: JsonEditorProps) {
  const [caret, setCaret] = useState<Caret>()
  const begun = useRef<number>(undefined)
  return (
    <div className="json-editor">
      {drawsEditor ? (
        <Suspense fallback={<PlainField {...rest} readOnly={readOnly} begun={begun} />}>
          <JsonView
            {...rest}
            ref={ref}
            faults={faults}
            changed={changed}
            readOnly={readOnly}
            begun={begun}
            onCaret={setCaret}
          />
        </Suspense>
      ) : (
        <PlainField {...rest} readOnly={readOnly} />
      )}
      <Foot faults={faults} caret={caret} />
    </div>
  )
}

/** The position of the caret before the editor was loaded; undefined without one. */
export type Begun = RefObject<number | undefined>

/** Stays where the editor isn't supported; else until it is loaded, with what was typed so far. */
function PlainField({ label, value, onChange, readOnly, begun }: JsonEditorProps & { begun?: Begun }) {
  const field = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    const { current } = field
    return () => {
      if (begun && current && document.activeElement === current) begun.current = current.selectionEnd
    }
  }, [begun])
  return (
    <textarea
      ref={field}
      className={begun ? 'json-plain coming' : 'json-plain'}
      aria-label={label}
      value={value}
      rows={Math.min(Math.max(value.split('\n').length, 10), 20)}
      readOnly={readOnly}
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function Foot({ faults: [first, ...more], caret }: { faults: EditorFault[]; caret: Caret | undefined }) {
  const text = useJsonEditorText()
  return (
    <div className={first ? 'json-foot bad' : 'json-foot'}>
      {first ? <CircleAlert /> : <CircleCheck />}
      <p>{first ? text.faulty(first.message, more.length) : text.right}</p>
      {caret && <p>{text.caret(caret.line, caret.column)}</p>}
    </div>
  )
}
