import '../waiting.css'
import { useDataTableText } from './data-table.text.ts'
import { pageSize } from './data-table-pages.ts'
import { PickAll, PickBox } from './data-table-pick.tsx'
import type { Column, PartProps } from './data-table-props.ts'

/** The table proper. Its columns keep their widths whatever stands in them. */
export function TableRows<Row extends { id: string }>(props: PartProps<Row>) {
  const { title, columns, listing, nameOf, selection } = props
  const text = useDataTableText().table
  return (
    <table className={listing.old ? 'old' : undefined} aria-label={title} aria-busy={!listing.data || listing.old}>
      <colgroup>
        {nameOf && <col className="pick-column" />}
        {columns.map(({ name, width }) => (
          <col key={name} style={width === undefined ? undefined : { width: `${width}rem` }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {nameOf && (
            <th scope="col">
              <PickAll selection={selection} />
            </th>
          )}
          {columns.map(({ name, label, end }) => (
            <th key={name} scope="col" className={end ? 'end' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {listing.data ? (
          listing.data.data.map((row) => <TableRow key={row.id} {...props} row={row} />)
        ) : (
          <Bones columns={columns} picks={nameOf !== undefined} label={text.waiting} />
        )}
      </tbody>
    </table>
  )
}

function TableRow<Row extends { id: string }>({
  row,
  columns,
  nameOf,
  onOpen,
  selection,
}: PartProps<Row> & { row: Row }) {
  const text = useDataTableText().table
  const cells = columns.map(({ name, end, cell }) => (
    <td key={name} className={end ? 'end' : undefined}>
      {cell(row)}
    </td>
  ))
  if (!nameOf) return <tr>{cells}</tr>
  const picked = selection.has(row)
  return (
    <tr
      className={picked ? 'pickable on' : 'pickable'}
      onClick={selection.onRowClick(row)}
      onDoubleClick={() => onOpen?.(row)}
    >
      <td>
        <PickBox label={text.pick(nameOf(row))} checked={picked} onChange={(on) => selection.pick(row, on)} />
      </td>
      {cells}
    </tr>
  )
}

const widths = [72, 56, 64]

/** The shape of the rows that are still to come. */
function Bones<Row>({ columns, picks, label }: { columns: Column<Row>[]; picks: boolean; label: string }) {
  return Array.from({ length: pageSize }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity and never move
    <tr key={row} aria-hidden={row > 0}>
      {picks && <td />}
      {columns.map(({ name }, at) => (
        <td key={name}>
          <span className="bone" style={{ width: `${widths[(row + at) % widths.length]}%` }} />
          {row === 0 && at === 0 && <span className="unseen">{label}</span>}
        </td>
      ))}
    </tr>
  ))
}
