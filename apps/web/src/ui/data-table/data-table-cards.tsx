import { useDataTableText } from './data-table.text.ts'
import { pageSize } from './data-table-pages.ts'
import { PickBox } from './data-table-pick.tsx'
import type { PartProps } from './data-table-props.ts'

/** What the table is on narrow screens: of each row what matters most. */
export function TableCards<Row extends { id: string }>(props: PartProps<Row>) {
  const { title, listing } = props
  if (!listing.data) return <Bones />
  return (
    <ul className={listing.old ? 'table-cards old' : 'table-cards'} aria-label={title} aria-busy={listing.old}>
      {listing.data.data.map((row) => (
        <TableCard key={row.id} {...props} row={row} />
      ))}
    </ul>
  )
}

function TableCard<Row extends { id: string }>({ row, columns, nameOf, selection }: PartProps<Row> & { row: Row }) {
  const text = useDataTableText().table
  const part = (place: 'name' | 'line' | 'end') =>
    columns
      .filter(({ onCard }) => onCard === place)
      .map(({ name, cell }) => (
        <span key={name} className={`card-${place}`}>
          {cell(row)}
        </span>
      ))
  const content = (
    <>
      <span className="card-lines">
        {part('name')}
        {part('line')}
      </span>
      {part('end')}
    </>
  )
  if (!nameOf) return <li>{content}</li>
  const picked = selection.has(row)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the box on the card is what a keyboard reaches
    <li className={picked ? 'pickable on' : 'pickable'} onClick={selection.onRowClick(row)}>
      <PickBox label={text.pick(nameOf(row))} checked={picked} onChange={(on) => selection.pick(row, on)} />
      {content}
    </li>
  )
}

function Bones() {
  const text = useDataTableText().table
  return (
    <div className="table-cards" role="status" aria-label={text.waiting} aria-busy="true">
      {Array.from({ length: pageSize }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity and never move
        <div className="card-bones" key={row}>
          <span className="bone" style={{ width: `${34 + ((row * 7) % 20)}%` }} />
          <span className="bone" style={{ width: '46%' }} />
        </div>
      ))}
    </div>
  )
}
