/** The cells of a record; undefined where a quote stands in the middle of a cell. */
export function csvCells(text: string): string[] | undefined {
  const cells: string[] = []
  for (let at = 0; ; ) {
    if (text[at] === '"') {
      let cell = ''
      for (at++; ; ) {
        const end = text.indexOf('"', at)
        if (end < 0) return undefined
        cell += text.slice(at, end)
        at = end + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
      cells.push(cell)
      if (at < text.length && text[at] !== ',') return undefined
    } else {
      const comma = text.indexOf(',', at)
      const end = comma < 0 ? text.length : comma
      const cell = text.slice(at, end)
      if (cell.includes('"')) return undefined
      cells.push(cell)
      at = end
    }
    if (at >= text.length) return cells
    at++
    if (at === text.length) return [...cells, '']
  }
}

/** As the reader above takes it back. */
export const csvLine = (cells: (string | null)[]): string =>
  `${cells
    .map((cell) => (cell !== null && /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : (cell ?? '')))
    .join(',')}\r\n`
