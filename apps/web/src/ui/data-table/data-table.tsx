import './data-table.css'
import '../empty.css'
import type { LucideIcon } from 'lucide-react'
import { CloudOff, RefreshCw, SearchX } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useDevice } from '../../lib/device/device.ts'
import { AllowedButton } from '../allowed-button.tsx'
import { Button } from '../button.tsx'
import { useDataTableText } from './data-table.text.ts'
import { TableCards } from './data-table-cards.tsx'
import { TablePager } from './data-table-pager.tsx'
import { pagesOf } from './data-table-pages.ts'
import { PickAll } from './data-table-pick.tsx'
import type { PartProps, TableProps } from './data-table-props.ts'
import { TableRows } from './data-table-rows.tsx'
import { useSelection } from './data-table-selection.ts'

/** The one table of the back-office: a title, actions by what is selected, rows (cards on phones), pages. */
export function DataTable<Row extends { id: string }>(props: TableProps<Row>) {
  const { title, listing, about = '', page, onPage, nameOf, children } = props
  const text = useDataTableText().table
  const heading = useId()
  const narrow = useDevice(({ width }) => width < 768)
  const section = useRef<HTMLElement>(null)
  const selection = useSelection(listing.data?.data ?? [], `${page} ${about}`)
  const pages = pagesOf(listing.data?.count ?? 0)
  useLastPage(props, pages)
  const goTo = (wanted: number) => {
    onPage(wanted)
    if ((section.current?.getBoundingClientRect().top ?? 0) < 0) section.current?.scrollIntoView()
  }
  return (
    <section ref={section} className="card table" aria-labelledby={heading}>
      <Head {...props} heading={heading} title={title} selection={selection} narrow={narrow} />
      {children}
      <Body {...props} selection={selection} narrow={narrow} />
      {listing.data && listing.data.count > 0 && (
        <footer>
          {nameOf && <span role="status">{text.selected(selection.rows.length)}</span>}
          <TablePager page={Math.min(page, pages)} pages={pages} onPage={goTo} narrow={narrow} />
        </footer>
      )}
    </section>
  )
}

/** A page whose rows are gone steps back to the last one. */
function useLastPage<Row>({ listing, page, onPage }: TableProps<Row>, pages: number) {
  const gone = listing.data !== undefined && !listing.old && listing.data.data.length === 0 && page > pages
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it turns out
  useEffect(() => {
    if (gone) onPage(pages)
  }, [gone, pages])
}

function Head<Row extends { id: string }>(props: PartProps<Row> & { heading: string }) {
  const { heading, title, counted, listing, actions = [], nameOf, selection, narrow } = props
  const text = useDataTableText().table
  const { data } = listing
  const shown = actions.filter(({ select }) => isShown(select, selection.rows.length))
  return (
    <header>
      {narrow && nameOf && <PickAll selection={selection} />}
      <h2 id={heading}>{title}</h2>
      <span className="table-count">{data && counted(data.count, data.more ?? false)}</span>
      <div className="table-acts">
        {shown.map(({ label, icon: Icon, kind = 'soft', refused, busy = false, run }) => (
          <AllowedButton key={label} kind={kind} refused={refused} busy={busy} onClick={() => run(selection.rows)}>
            <Icon />
            {label}
          </AllowedButton>
        ))}
        <Button kind="quiet" busy={listing.busy} onClick={listing.refresh}>
          {!listing.busy && <RefreshCw />}
          {text.refresh}
        </Button>
      </div>
    </header>
  )
}

function isShown(select: string | undefined, selected: number): boolean {
  if (select === undefined) return true
  return select === 'single' ? selected === 1 : selected > 0
}

function Body<Row extends { id: string }>(props: PartProps<Row>) {
  const { listing, empty, narrow } = props
  const text = useDataTableText().table
  if (!listing.data && listing.trouble)
    return (
      <Nothing icon={CloudOff} message={listing.trouble}>
        <Button kind="soft" onClick={listing.refresh}>
          {text.tryAgain}
        </Button>
      </Nothing>
    )
  if (listing.data?.data.length === 0 && !listing.old) return <Nothing icon={SearchX} message={empty} />
  return narrow ? <TableCards {...props} /> : <TableRows {...props} />
}

function Nothing({ icon: Icon, message, children }: { icon: LucideIcon; message: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon />
      </span>
      <p>{message}</p>
      {children}
    </div>
  )
}
