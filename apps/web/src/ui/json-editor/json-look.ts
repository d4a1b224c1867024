import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Variables come through from the page, and with them theme, brand and font size. */
const theme = EditorView.theme({
  '&': { maxHeight: 'calc(20 * var(--json-row) + 1.4286rem)', color: 'var(--text-1)', fontSize: 'var(--json-size)' },
  '&.cm-focused': { outline: '0' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: 'var(--json-row)',
    overscrollBehavior: 'contain',
    containerType: 'inline-size',
  },
  '.cm-content': { minHeight: 'calc(10 * var(--json-row))', padding: '0.7143rem 0', caretColor: 'var(--brand-text)' },
  '.cm-line': { padding: '0 1.1429rem 0 0.2857rem' },
  '.cm-gutters': { border: '0', background: 'var(--card)', color: 'var(--text-3)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.5714rem', padding: '0 0.2857rem 0 0.7143rem' },
  '.cm-foldGutter .cm-gutterElement': { width: '1.1429rem', cursor: 'pointer', textAlign: 'center' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'transparent' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--brand-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--json-chosen)',
  },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--json-chosen)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'transparent' },
  '.cm-foldPlaceholder': { border: '0', background: 'var(--field)', color: 'var(--text-2)', padding: '0 0.4286rem' },
  '.cm-new': { background: 'var(--good-soft)', boxShadow: 'inset 0.2143rem 0 var(--good)' },
  '.cm-bad': { background: 'var(--bad-soft)' },
  '.cm-gutterElement.cm-bad': { color: 'var(--bad)' },
  '.cm-fault': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '0.2143rem' },
  // Stays in sight however far the line reaches.
  '.cm-why': {
    position: 'sticky',
    left: '3.7143rem',
    maxWidth: 'calc(100cqw - 3.7143rem)',
    boxSizing: 'border-box',
    padding: '0 1.1429rem 0.1429rem 0.2857rem',
    background: 'var(--bad-soft)',
    color: 'var(--bad)',
    fontFamily: 'var(--font)',
    fontSize: 'var(--t-small)',
    whiteSpace: 'normal',
  },
})

const floating = EditorView.theme({
  '.cm-tooltip': {
    overflow: 'hidden',
    maxWidth: 'min(24rem, 90vw)',
    border: '0',
    borderRadius: 'var(--r-control)',
    background: 'var(--raised)',
    boxShadow: 'var(--shadow-2)',
    color: 'var(--text-1)',
    fontSize: 'var(--t-small)',
  },
  '.cm-sentence': { padding: '0.5714rem 0.8571rem', lineHeight: '1.5' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '16rem', fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2857rem 0.8571rem', lineHeight: '1.5' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--brand-soft)', color: 'var(--brand-text)' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 'var(--w-strong)' },
  '.cm-completionDetail': {
    display: 'block',
    overflow: 'hidden',
    margin: '0',
    color: 'var(--text-2)',
    fontFamily: 'var(--font)',
    fontSize: 'var(--t-note)',
    fontStyle: 'normal',
    textOverflow: 'ellipsis',
  },
  '@media (max-width: 767px)': {
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { minHeight: 'var(--tap)', paddingBlock: '0.7143rem' },
  },
})

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--json-key)' },
  { tag: tags.string, color: 'var(--json-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--json-number)' },
])

export const look = [theme, floating, syntaxHighlighting(colours)]
