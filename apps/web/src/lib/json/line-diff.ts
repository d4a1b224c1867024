export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Beyond this a diff would be neither quick nor readable: everything between counts as replaced. */
const mostCells = 4_000_000

const line = (kind: DiffLine['kind']) => (text: string) => ({ kind, text })

/** What became of the lines, by their longest common sequence; what is the same at both ends is set aside first. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const a = before.slice(start, before.length - end)
  const b = after.slice(start, after.length - end)
  return [
    ...before.slice(0, start).map(line('same')),
    ...middle(a, b),
    ...before.slice(before.length - end).map(line('same')),
  ]
}

function middle(a: string[], b: string[]): DiffLine[] {
  if (a.length * b.length > mostCells) return [...a.map(line('removed')), ...b.map(line('added'))]
  const width = b.length + 1
  const common = commonLengths(a, b, width)
  const result: DiffLine[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [x, y] = [a[i], b[j]]
    const skipA = common[(i + 1) * width + j] ?? -1
    const skipB = common[i * width + j + 1] ?? -1
    if (x !== undefined && x === y) {
      result.push({ kind: 'same', text: x })
      i++
      j++
    } else if (x !== undefined && (y === undefined || skipA >= skipB)) {
      result.push({ kind: 'removed', text: x })
      i++
    } else {
      result.push({ kind: 'added', text: y ?? '' })
      j++
    }
  }
  return result
}

/** For every pair of positions, how many lines are common from there on. */
function commonLengths(a: string[], b: string[], width: number): Uint16Array {
  const common = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j
      const longer = Math.max(common[at + width] ?? 0, common[at + 1] ?? 0)
      common[at] = a[i] === b[j] ? (common[at + width + 1] ?? 0) + 1 : longer
    }
  }
  return common
}

/** How many places differ: neighbouring lines are one. */
export const changeCount = (lines: DiffLine[]): number =>
  lines.filter(({ kind }, at) => kind !== 'same' && (lines[at - 1]?.kind ?? 'same') === 'same').length

/** The numbers, from 1, of the lines that are new. */
export function addedLines(lines: DiffLine[]): number[] {
  const present = lines.filter(({ kind }) => kind !== 'removed')
  return present.flatMap(({ kind }, at) => (kind === 'added' ? at + 1 : []))
}

/** The changes with a few lines around each; between two of these parts lines were left out. */
export function changedParts(lines: DiffLine[], around = 3): DiffLine[][] {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(at - around, 0), at + around + 1).some(({ kind }) => kind !== 'same'),
  )
  const parts: DiffLine[][] = []
  for (const [at, each] of lines.entries()) {
    if (!near[at]) continue
    if (!near[at - 1]) parts.push([])
    parts.at(-1)?.push(each)
  }
  return parts
}
