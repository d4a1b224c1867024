import { getPriority, setPriority } from 'node:os'

/**
 * Has a process or thread step back behind the others of the machine: five steps leave it a quarter of the processor that
 * somebody else could fill, ten a tenth. One that stands further back already stays there.
 */
export function lowerPriority(id: number, steps: number): void {
  setPriority(id, Math.max(steps, getPriority(id)))
}
