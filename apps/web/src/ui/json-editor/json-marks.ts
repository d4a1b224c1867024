import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { type EditorState, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass,
  gutterWidgetClass,
  WidgetType,
} from '@codemirror/view'
import { type Path, type Position, positionOf } from './json-position.ts'

/** A fault and its position: as a path of keys, or as an offset. */
export type EditorFault = { message: string } & ({ path: Path } | { at: number })

export interface Marks {
  faults: EditorFault[]
  /** The numbers of the lines that are new. */
  changed: number[]
}

class Sentence extends WidgetType {
  readonly message: string

  constructor(message: string) {
    super()
    this.message = message
  }

  override eq(other: Sentence) {
    return other.message === this.message
  }

  toDOM() {
    const sentence = document.createElement('div')
    sentence.className = 'cm-why'
    sentence.textContent = this.message
    return sentence
  }

  override ignoreEvent() {
    return false
  }
}

const patience = 200

export function faultPosition(state: EditorState, fault: EditorFault): Position {
  const { length } = state.doc
  if ('at' in fault) return { from: Math.min(fault.at, length), to: Math.min(fault.at + 1, length) }
  const tree = ensureSyntaxTree(state, length, patience) ?? syntaxTree(state)
  return positionOf(tree, ({ from, to }) => state.sliceDoc(from, to), fault.path)
}

class BadGutter extends GutterMarker {
  override elementClass = 'cm-bad'
}

const badGutter = new BadGutter()
const badLine = Decoration.line({ class: 'cm-bad' })
const newLine = Decoration.line({ class: 'cm-new' })
const badText = Decoration.mark({ class: 'cm-fault' })

interface Drawn {
  text: DecorationSet
  gutter: RangeSet<GutterMarker>
}

function draw(state: EditorState, { faults, changed }: Marks): Drawn {
  const { doc } = state
  const bad = faults.map((fault) => {
    const { from, to } = faultPosition(state, fault)
    const line = doc.lineAt(from)
    return { line, from, to: Math.min(to, line.to), message: fault.message }
  })
  const text = bad.flatMap(({ line, from, to, message }) => {
    const why = Decoration.widget({ widget: new Sentence(message), block: true, side: 1 })
    return [badLine.range(line.from), why.range(line.to), ...(to > from ? [badText.range(from, to)] : [])]
  })
  const fresh = changed.filter((number) => number <= doc.lines).map((number) => newLine.range(doc.line(number).from))
  const gutter = bad.map(({ line }) => badGutter.range(line.from))
  return { text: Decoration.set([...text, ...fresh], true), gutter: RangeSet.of(gutter, true) }
}

export const setMarks = StateEffect.define<Marks>()

/** Marks go along with what is typed, until the next ones are known. */
const drawn = StateField.define<Drawn>({
  create: () => ({ text: Decoration.none, gutter: RangeSet.empty }),
  update({ text, gutter }, { changes, effects, state }) {
    const next = effects.flatMap((effect) => (effect.is(setMarks) ? effect.value : [])).at(-1)
    return next ? draw(state, next) : { text: text.map(changes), gutter: gutter.map(changes) }
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ text }) => text),
    gutterLineClass.from(field, ({ gutter }) => gutter),
  ],
})

export const marks = [drawn, gutterWidgetClass.of((_view, widget) => (widget instanceof Sentence ? badGutter : null))]

/** The part that differs, so that caret and history stay where they are. */
export function changeTo(doc: Text, wanted: string) {
  const present = doc.toString()
  const least = Math.min(present.length, wanted.length)
  let from = 0
  while (from < least && present[from] === wanted[from]) from++
  let end = 0
  while (end < least - from && present.at(-1 - end) === wanted.at(-1 - end)) end++
  return { from, to: present.length - end, insert: wanted.slice(from, wanted.length - end) }
}
