import { diffArrays } from 'diff'

export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  text: string
}

/** Beyond so many edits a diff would be neither quick nor readable: everything counts as replaced. */
const maxEditLength = 4_000

const line = (kind: DiffLine['kind']) => (text: string) => ({ kind, text })

/** Which lines stay, go and come, with as few edits as possible. */
export function diffLines(before: string[], after: string[]): DiffLine[] {
  const changes = diffArrays(before, after, { maxEditLength })
  if (!changes) return [...before.map(line('removed')), ...after.map(line('added'))]
  return changes.flatMap(({ added, removed, value }) => value.map(line(added ? 'added' : removed ? 'removed' : 'same')))
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
