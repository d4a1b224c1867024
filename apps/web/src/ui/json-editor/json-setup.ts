import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLineGutter, keymap, lineNumbers, tooltips } from '@codemirror/view'
import { completeJson, explainJson } from './json-completion.ts'
import { look } from './json-look.ts'
import { marks } from './json-marks.ts'
import type { JsonSchema } from './json-schema.ts'

/** CodeMirror's own words; every one that a user can meet. */
type Phrases = Record<string, string>

/** Tab leaves the editor, as it leaves every other field. */
export const editing = (phrases: Phrases): Extension => [
  lineNumbers(),
  foldGutter(),
  codeFolding(),
  highlightActiveLineGutter(),
  drawSelection(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  json(),
  marks,
  look,
  tooltips({ position: 'fixed' }),
  EditorState.tabSize.of(2),
  EditorState.phrases.of(phrases),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap]),
]

/** The field can still be entered and its text taken, but not changed. */
export const writing = (readOnly: boolean): Extension => [
  EditorState.readOnly.of(readOnly),
  EditorView.contentAttributes.of({ 'aria-readonly': String(readOnly) }),
]

export const helping = (schema: JsonSchema | undefined): Extension =>
  schema ? [autocompletion({ override: [completeJson(schema)], icons: false }), explainJson(schema)] : []

/** Focusable, so that the scrolling box around it can be scrolled by keys. */
export const named = (label: string): Extension =>
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false', autocapitalize: 'off' })
