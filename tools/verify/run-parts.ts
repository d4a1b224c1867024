import type { Part } from './parts.ts'
import { crashed, type Outcome, saveRow } from './rows.ts'

export interface Running {
  /** Where the rows are kept. */
  file: string
  /** Runs one part to its end. */
  run(part: Part): Promise<Outcome>
  /** What is checked out at this moment. */
  checkedOut(): string
  /** Whether the run was asked to end. */
  stopped(): boolean
}

/** Runs one part after the other. Each has its row as soon as it has ended; one that was cut off has none. */
export async function runParts(wanted: Part[], { file, run, checkedOut, stopped }: Running): Promise<void> {
  const commit = checkedOut()
  for (const [index, part] of wanted.entries()) {
    console.log(`\n══ ${part.id} (${index + 1} of ${wanted.length})`)
    const [at, began] = [new Date().toISOString(), performance.now()]
    const outcome = await run(part).catch(crashed)
    if (stopped()) return
    if (checkedOut() !== commit) throw new Error(`the tree changed while ${part.id} ran: run it again`)
    const seconds = Math.round((performance.now() - began) / 1000)
    saveRow(file, { id: part.id, ...outcome, commit, at, seconds })
    console.log(`══ ${part.id} ${outcome.held ? 'held' : 'NOT HELD'} after ${seconds} s`)
  }
}
