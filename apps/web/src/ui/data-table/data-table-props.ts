import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Selection } from './data-table-selection.ts'

export interface Column<Row> {
  name: string
  label: string
  /** In rem, where nothing in it may be cut; the others share the rest. */
  width?: number
  /** Numbers and times end the row. */
  end?: boolean
  /** Where it stands on a card, which takes the row's place under 768 px; elsewhere it is hidden there. */
  onCard?: 'name' | 'line' | 'end'
  cell: (row: Row) => ReactNode
}

export interface Action<Row> {
  label: string
  icon: LucideIcon
  kind?: 'soft' | 'quiet' | 'danger'
  /** Shown always, with exactly one row selected, or with at least one. */
  select?: 'single' | 'multiple'
  /** Why it can't be used. */
  refused?: string | undefined
  busy?: boolean
  run: (rows: Row[]) => void
}

/** What a query for a page of rows answered. */
export interface Listing<Row> {
  data: { count: number; data: Row[]; more?: boolean } | undefined
  /** The rows are those of the page before. */
  old: boolean
  busy: boolean
  trouble: string | undefined
  refresh: () => void
}

export interface TableProps<Row> {
  title: string
  /** How many there are, in words. */
  counted: (count: number, more: boolean) => string
  columns: Column<Row>[]
  listing: Listing<Row>
  /** What is listed: another search or filter forgets the selection. */
  about?: string
  page: number
  onPage: (page: number) => void
  actions?: Action<Row>[]
  /** How a row is called, for those who can't see it; without it nothing can be selected. */
  nameOf?: (row: Row) => string
  /** A double click. */
  onOpen?: (row: Row) => void
  /** What to say when there is nothing. */
  empty: string
  /** Between head and rows: search and filters. */
  children?: ReactNode
}

/** What the parts of a table get. */
export type PartProps<Row> = TableProps<Row> & { selection: Selection<Row>; narrow: boolean }
