import { getPriority, setPriority } from 'node:os'

/** Has a process or thread step back behind the others of the machine. One that stands further back already stays there. */
export function stepBack(id: number): void {
  setPriority(id, Math.max(10, getPriority(id)))
}
