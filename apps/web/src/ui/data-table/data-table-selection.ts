import { type MouseEvent, useState } from 'react'

export interface Selection<Row> {
  /** The selected ones of those that are shown. */
  rows: Row[]
  /** How many are shown. */
  all: number
  has: (row: Row) => boolean
  pick: (row: Row, picked: boolean) => void
  pickAll: (picked: boolean) => void
  /** For a click anywhere on a row. */
  onRowClick: (row: Row) => (event: MouseEvent) => void
}

/** Which rows are selected; another page or filter clears the selection. */
export function useSelection<Row extends { id: string }>(shown: Row[], place: string): Selection<Row> {
  const [picked, setPicked] = useState({ place, ids: new Set<string>() })
  const ids = picked.place === place ? picked.ids : new Set<string>()
  if (picked.place !== place) setPicked({ place, ids })
  const has = ({ id }: Row) => ids.has(id)
  const keep = (kept: Row[]) => setPicked({ place, ids: new Set(kept.map(({ id }) => id)) })
  const rows = shown.filter(has)
  const pick = (row: Row, wanted: boolean) => keep(wanted ? [...rows, row] : rows.filter(({ id }) => id !== row.id))
  return {
    rows,
    all: shown.length,
    has,
    pick,
    pickAll: (wanted) => keep(wanted ? shown : []),
    onRowClick: (row) => (event) => {
      if (isPlain(event)) pick(row, !has(row))
    },
  }
}

/** Not on a control, not the second of a double click, and not the end of a text selection. */
function isPlain({ target, detail }: MouseEvent): boolean {
  if (detail > 1 || (target as Element).closest('a, button, label, input')) return false
  return window.getSelection()?.isCollapsed !== false
}
