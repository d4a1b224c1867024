import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'
import { type EditorView, hoverTooltip } from '@codemirror/view'
import { type Node, namesIn, type Path, type Position, pathTo } from './json-position.ts'
import { type JsonSchema, keysAt, openingOf, sentenceAt, valuesAt } from './json-schema.ts'

const reader =
  ({ doc }: EditorState) =>
  ({ from, to }: Position) =>
    doc.sliceString(from, to)

/** Puts a text in place of what was typed, with the rest of its word and quote; the caret goes inside what it opens. */
function insert(text: string) {
  const inside = /(?:""|\[\]|\{\})$/.test(text) ? text.length - 1 : text.length
  return (view: EditorView, _completion: Completion, from: number, typedTo: number) => {
    const to = typedTo + (/^[\w-]*"/.exec(view.state.sliceDoc(typedTo, typedTo + 80))?.[0].length ?? 0)
    const selection = { anchor: from + inside }
    view.dispatch({ changes: { from, to, insert: text }, selection, userEvent: 'input.complete' })
  }
}

function keyOptions(schema: JsonSchema, path: Path, taken: string[], named: boolean): Completion[] {
  return keysAt(schema, path)
    .filter(([key]) => !taken.includes(key))
    .map(([key, inner]) => ({
      label: key,
      type: 'property',
      detail: inner.description ?? '',
      apply: insert(named ? JSON.stringify(key) : `${JSON.stringify(key)}: ${openingOf(inner)}`),
    }))
}

const valueOptions = (schema: JsonSchema, path: Path): Completion[] =>
  valuesAt(schema, path).map((value) => ({ label: String(value), type: 'enum', apply: insert(JSON.stringify(value)) }))

/** Offers the keys of a schema where a key is typed, and the values it knows where a value is. */
export function completeJson(schema: JsonSchema) {
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos, explicit } = context
    const node = syntaxTree(state).resolveInner(pos, -1)
    const quoted = node.name === 'PropertyName' || node.name === 'String'
    const word = context.matchBefore(/[\w-]+/)
    if (!quoted && !explicit && !word) return null
    const options = optionsAt(state, schema, node).map(quotedToo)
    return options.length === 0 ? null : { from: quoted ? node.from : (word?.from ?? pos), options }
  }
}

/** What is typed may begin with its quote. */
const quotedToo = (option: Completion): Completion => ({
  ...option,
  displayLabel: option.label,
  label: `"${option.label}"`,
})

function optionsAt(state: EditorState, schema: JsonSchema, node: Node): Completion[] {
  const text = reader(state)
  if (node.name === 'PropertyName') {
    const property = node.parent ?? node
    const others = namesIn(property.parent ?? property, text).filter((name) => JSON.stringify(name) !== text(node))
    const named = /^\s*:/.test(state.sliceDoc(node.to, node.to + 20))
    return keyOptions(schema, pathTo(property, text).slice(0, -1), others, named)
  }
  const around = node.name === '⚠' ? (node.parent ?? node) : node
  const path = pathTo(around, text)
  if (around.name === 'Object') return keyOptions(schema, path, namesIn(around, text), false)
  return valueOptions(schema, around.name === 'Array' ? [...path, 0] : path)
}

/** Shows what a field is for, under the pointer. */
export const explainJson = (schema: JsonSchema) =>
  hoverTooltip((view, pos) => {
    const node = syntaxTree(view.state).resolveInner(pos, 1)
    const property = node.name === 'PropertyName' ? (node.parent ?? node) : node
    const sentence = sentenceAt(schema, pathTo(property, reader(view.state)))
    if (!sentence || property.name === 'Object' || property.name === 'Array') return null
    return {
      pos: node.from,
      end: node.to,
      create: () => ({
        dom: Object.assign(document.createElement('div'), { className: 'cm-sentence', textContent: sentence }),
      }),
    }
  })
