import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { boundToParent } from './bound-to-parent.ts'

/** What asks a process to end: a keyboard, a supervisor, a terminal that is closed. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Runs a program with this process's input and output and answers its exit code. A signal that asks this process to end is passed
 * on; when the program has ended, so does this process.
 */
export async function runToEnd(program: string, args: string[], options: SpawnOptions = {}): Promise<number> {
  const child = spawn(...boundToParent(program, args), { ...options, stdio: 'inherit' })
  let asked: NodeJS.Signals | undefined
  const passOn = (signal: NodeJS.Signals) => {
    asked = signal
    child.kill(signal)
  }
  for (const signal of endSignals) process.on(signal, passOn)
  const [code] = (await once(child, 'exit')) as [number | null]
  for (const signal of endSignals) process.off(signal, passOn)
  if (asked) process.exit(128 + constants.signals[asked])
  return code ?? 1
}
