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

/** A code with the highest error correction and a margin of two modules. */
export function QrCode({ content, label }: { content: string; label: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(content, { ecc: 'H', border: 2 })
    return { size, path: darkPath(data) }
  }, [content])
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} width={width} height={width}>
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#15171c" d={path} />
    </svg>
  )
}
