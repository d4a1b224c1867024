import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ReportedFigure } from '../../tools/run/figures-table.ts'
import { type Figure, holds, idOf, shown } from './figures.ts'

/**
 * One figure of the id that the running test is named by: it must hold, and the table at the end lists it, held or not.
 * A figure that isn't a number is reported as how often it was seen: 0 doubled, 200 of 200 refused.
 */
export function figure(name: string, value: number, limit: Figure['limit'], unit?: string): void {
  const { currentTestName = '' } = expect.getState()
  const file = process.env.HUFU_FIGURES
  const one: Figure = { name, value, limit, ...(unit && { unit }) }
  const held = holds(one)
  if (file) {
    mkdirSync(join(file, '..'), { recursive: true })
    appendFileSync(
      file,
      `${JSON.stringify({ id: idOf(currentTestName), ...one, held, test: currentTestName } satisfies ReportedFigure)}\n`,
    )
  }
  expect.soft(held, `${name}: ${shown(one)}, must be ${limit.join(' ')}`).toBe(true)
}
