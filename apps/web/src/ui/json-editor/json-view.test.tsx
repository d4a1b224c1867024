// @vitest-environment happy-dom
import { EditorView } from '@codemirror/view'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { draw, find, leave, settle } from '../../test/page.tsx'
import { JsonEditor } from './json-editor.tsx'

let told: string[]
let hand: (value: string) => void

/** Draws what it was told when the test says so, as a page under load. */
function Slow() {
  const [value, setValue] = useState('1')
  hand = setValue
  return <JsonEditor label="配置" value={value} onChange={(text) => told.push(text)} />
}

function view(): EditorView {
  const inner = find('.json-host')?.shadowRoot?.querySelector<HTMLElement>('.cm-editor')
  const found = inner && EditorView.findFromDOM(inner)
  if (!found) throw new Error('no editor')
  return found
}

const written = () => view().state.doc.toString()
const type = (insert: string) => view().dispatch({ changes: { from: view().state.doc.length, insert } })
const gets = (value = '') => act(async () => hand(value))

beforeEach(async () => {
  told = []
  await draw(<Slow />)
  await act(async () => import('./json-view.tsx').then(() => undefined))
  await settle()
})
afterEach(() => leave())

test('what comes back late never takes away what was typed since', async () => {
  for (const key of '234') await act(async () => type(key))
  expect(told).toEqual(['12', '123', '1234'])
  await gets(told[0])
  expect(written()).toBe('1234')
  await act(async () => type('5'))
  await gets(told[2])
  expect(written()).toBe('12345')
  await gets(told[3])
  expect(written()).toBe('12345')
  expect(told).toHaveLength(4)
})

test('a value from outside is put in and not told back, even one that was typed before', async () => {
  await act(async () => type('2'))
  await act(async () => type('3'))
  await gets('9')
  expect(written()).toBe('9')
  await gets('12')
  expect(written()).toBe('12')
  await act(async () => type('3'))
  await gets('123')
  await gets('12')
  expect(written()).toBe('12')
  expect(told).toEqual(['12', '123', '123'])
})
