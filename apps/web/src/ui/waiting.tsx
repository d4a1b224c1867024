import './waiting.css'

/** Turns while something short is under way. */
export function Spinner({ label }: { label: string }) {
  return <span className="spinner" role="progressbar" aria-label={label} />
}

/** The shape of rows that are still to come. */
export function Skeleton({ label, rows }: { label: string; rows: number }) {
  const widths = [46, 38, 54]
  return (
    <div className="skeleton" role="status" aria-label={label} aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity and never move
        <div className="skeleton-row" key={row}>
          <span className="bone round" />
          <span className="bone" style={{ width: `${widths[row % widths.length]}%` }} />
        </div>
      ))}
    </div>
  )
}
