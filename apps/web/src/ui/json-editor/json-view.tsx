import { isolateHistory } from '@codemirror/commands'
import { Compartment } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useJsonEditorText } from './json-editor.text.ts'
import type { Begun, Caret, JsonEditorHandle, JsonEditorProps } from './json-editor.tsx'
import { changeTo, type EditorFault, faultPosition, setMarks } from './json-marks.ts'
import { editing, helping, named, writing } from './json-setup.ts'

interface Listeners {
  onChange: (text: string) => void
  onCaret: (caret: Caret) => void
}

type Props = Required<Omit<JsonEditorProps, 'schema' | 'ref' | keyof Listeners>> &
  Listeners &
  Pick<JsonEditorProps, 'schema'> & { begun: Begun; ref: Ref<JsonEditorHandle> | undefined }

/** CodeMirror in a shadow root of its own. */
export default function JsonView({ label, value, faults, changed, schema, readOnly, begun, ref, ...listeners }: Props) {
  const [options] = useState(() => new Compartment())
  const host = useRef<HTMLDivElement>(null)
  const { view, put } = useEditor(host, { value, options, begun, ...listeners })
  useEffect(() => {
    view?.dispatch({ effects: options.reconfigure([named(label), writing(readOnly), helping(schema)]) })
  }, [view, options, label, readOnly, schema])
  useLayoutEffect(() => {
    if (view) put(view, value)
  }, [view, put, value])
  useEffect(() => {
    view?.dispatch({ effects: setMarks.of({ faults, changed }) })
  }, [view, faults, changed])
  useImperativeHandle(ref, () => ({ showFault: () => view && showFault(view, faults) }), [view, faults])
  return <div ref={host} className="json-host" />
}

function showFault(view: EditorView, [first]: EditorFault[]) {
  if (!first) return
  const { from } = faultPosition(view.state, first)
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
}

interface Start extends Listeners {
  value: string
  options: Compartment
  begun: Begun
}

/** Created once. Later changes are dispatched as transactions. */
function useEditor(host: RefObject<HTMLDivElement | null>, { value, options, begun, ...listeners }: Start) {
  const { phrases } = useJsonEditorText()
  const [view, setView] = useState<EditorView>()
  const { put, isNews } = useEchoes(value)
  const newest = useRef<Listeners>(listeners)
  useLayoutEffect(() => {
    newest.current = listeners
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what is there then
  useLayoutEffect(() => {
    if (!host.current) return
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const onUpdate = EditorView.updateListener.of((update) => report(update, isNews, newest.current))
    const made = new EditorView({
      doc: value,
      parent: root,
      root,
      extensions: [editing(phrases), options.of([]), onUpdate],
    })
    setView(made)
    if (begun.current !== undefined) goOn(made, begun.current)
    return () => made.destroy()
  }, [])
  return { view, put }
}

function goOn(view: EditorView, at: number) {
  view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) } })
  view.focus()
}

/**
 * Under load the value lags behind what is typed. So a value that came from the editor
 * itself is not written back, until it has caught up with the newest text.
 */
function useEchoes(first: string) {
  const newest = useRef(first)
  const reported = useRef<string[]>([])
  const put = useCallback((view: EditorView, value: string) => {
    if (newest.current !== value && reported.current.includes(value)) return
    reported.current = []
    if (newest.current === value) return
    newest.current = value
    // A separate undo step.
    view.dispatch({ changes: changeTo(view.state.doc, value), annotations: isolateHistory.of('full') })
  }, [])
  const isNews = useCallback((text: string) => {
    if (newest.current === text) return false
    newest.current = text
    reported.current.push(text)
    return true
  }, [])
  return { put, isNews }
}

type IsNews = (text: string) => boolean

function report({ docChanged, selectionSet, state }: ViewUpdate, isNews: IsNews, { onChange, onCaret }: Listeners) {
  const text = docChanged ? state.doc.toString() : undefined
  if (text !== undefined && isNews(text)) onChange(text)
  if (!docChanged && !selectionSet) return
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  onCaret({ line: line.number, column: head - line.from + 1 })
}
