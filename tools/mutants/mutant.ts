/** A deliberate fault and the test that must fail for it. */
export interface Mutant {
  id: string
  /** What goes wrong for a user or an operator. */
  title: string
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
  test: { project: string; file: string; title: string }
}

/** Swaps the text; an entry that no longer fits the source is an error, not a killed mutant. */
export function plant({ id, file, find, replace }: Mutant, source: string): string {
  const parts = source.split(find)
  if (parts.length !== 2) throw new Error(`${id}: the text to replace occurs ${parts.length - 1} times in ${file}`)
  return parts.join(replace)
}

/** What a runner's report says of one test. A test that did not run proves nothing. */
export function verdict(
  outcomes: { title: string; result: string }[],
  title: string,
): 'killed' | 'survived' | 'not run' {
  const own = outcomes.filter((outcome) => outcome.title.includes(title))
  if (own.some(({ result }) => result === 'failed')) return 'killed'
  return own.some(({ result }) => result === 'passed') ? 'survived' : 'not run'
}
