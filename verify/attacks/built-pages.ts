import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, vi } from 'vitest'
import { buildWeb, webFolder } from '../../tools/run/product.ts'

/** Whether this caller is the one that builds: of several at once one can make the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/**
 * The pages as they are delivered: those that were built last where the run was started with --built, else built once for all
 * attacks of the run, beside its logs.
 */
export async function builtPages(): Promise<string> {
  if (process.env.HUFU_BUILT === '1' && existsSync(webFolder)) return webFolder
  const folder = join(inject('logFolder'), 'pages')
  const unfinished = `${folder}-unfinished`
  if (!existsSync(folder) && isFirst(unfinished)) {
    await buildWeb(unfinished)
    renameSync(unfinished, folder)
  }
  await vi.waitFor(() => expect(existsSync(folder)).toBe(true), { timeout: 170_000, interval: 100 })
  return folder
}
