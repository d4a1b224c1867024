import { getPriority, setPriority } from 'node:os'

/**
 * Raises the niceness of a process or thread: five steps leave it a quarter of a contended processor, ten a tenth. One
 * that is lower already stays.
 */
export function lowerPriority(id: number, steps: number): void {
  setPriority(id, Math.max(steps, getPriority(id)))
}
