import { isolateHistory } from '@codemirror/commands'
import { Compartment } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import { type Ref, type RefObject, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import { useConfigText } from '../lib/config-text.ts'
import type { Caret, JsonEditorHandle, JsonEditorProps } from './json-editor.tsx'
import { changeTo, type EditorFault, faultPlace, setMarks } from './json-marks.ts'
import { editing, helping, named, writing } from './json-setup.ts'

interface Hearing {
  onChange: (text: string) => void
  onCaret: (caret: Caret) => void
}

type Props = Required<Omit<JsonEditorProps, 'schema' | 'ref' | keyof Hearing>> &
  Hearing &
  Pick<JsonEditorProps, 'schema'> & { ref: Ref<JsonEditorHandle> | undefined }

/** CodeMirror in a shadow root of its own. */
export default function JsonView({ label, value, faults, changed, schema, readOnly, ref, onChange, onCaret }: Props) {
  const [options] = useState(() => new Compartment())
  const host = useRef<HTMLDivElement>(null)
  const { view, newest } = useEditor(host, { value, options, onChange, onCaret })
  useEffect(() => {
    view?.dispatch({ effects: options.reconfigure([named(label), writing(readOnly), helping(schema)]) })
  }, [view, options, label, readOnly, schema])
  useEffect(() => {
    if (!view || newest.current === value) return
    newest.current = value
    // A step of its own to be taken back.
    view.dispatch({ changes: changeTo(view.state.doc, value), annotations: isolateHistory.of('full') })
  }, [view, newest, value])
  useEffect(() => {
    view?.dispatch({ effects: setMarks.of({ faults, changed }) })
  }, [view, faults, changed])
  useImperativeHandle(ref, () => ({ showFault: () => view && showFault(view, faults) }), [view, faults])
  return <div ref={host} className="json-host" />
}

function showFault(view: EditorView, [first]: EditorFault[]) {
  if (!first) return
  const { from } = faultPlace(view.state, first)
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
}

interface Start extends Hearing {
  value: string
  options: Compartment
}

/** Made once. What it is told later it is told by transactions; `newest` is the text it was told or has told last. */
function useEditor(host: RefObject<HTMLDivElement | null>, { value, options, ...hearing }: Start) {
  const { phrases } = useConfigText().editor
  const [view, setView] = useState<EditorView>()
  const newest = useRef(value)
  const heard = useRef<Hearing>(hearing)
  useLayoutEffect(() => {
    heard.current = hearing
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what is there then
  useLayoutEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const hear = EditorView.updateListener.of((update) => {
      if (update.docChanged) newest.current = update.state.doc.toString()
      tell(update, newest.current, heard.current)
    })
    const made = new EditorView({
      doc: value,
      parent: root,
      root,
      extensions: [editing(phrases), options.of([]), hear],
    })
    setView(made)
    return () => made.destroy()
  }, [])
  return { view, newest }
}

function tell({ docChanged, selectionSet, state }: ViewUpdate, text: string, { onChange, onCaret }: Hearing) {
  if (docChanged) onChange(text)
  if (!docChanged && !selectionSet) return
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  onCaret({ line: line.number, column: head - line.from + 1 })
}
