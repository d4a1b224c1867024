import { useMemo } from 'react'
import { encode } from 'uqr'

/** The width the code is made with; how large it is shown is a matter of style. */
const width = 1000

/** Runs of dark modules, row by row: far fewer pieces than one for each. */
function darkPath(rows: boolean[][]): string {
  return rows
    .flatMap((row, y) =>
      row.flatMap((dark, x) => {
        if (!dark || row[x - 1]) return []
        const end = row.indexOf(false, x)
        return `M${x} ${y}h${(end < 0 ? row.length : end) - x}v1H${x}z`
      }),
    )
    .join('')
}

interface Props {
  content: string
  label: string
  /** Less error correction, so that a long text is still read from a small picture. */
  long?: boolean
}

/** A code with a margin of two modules, with the highest error correction where its text is short. */
export function QrCode({ content, label, long = false }: Props) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(content, { ecc: long ? 'M' : 'H', border: 2 })
    return { size, path: darkPath(data) }
  }, [content, long])
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={width} height={width}>
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#15171c" d={path} />
    </svg>
  )
}
