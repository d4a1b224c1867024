import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { buildWeb } from '../tools/run/product.ts'

/** The pages as they are delivered, built once for all attacks of a run; they go with the logs of the run. */
export async function builtPages(): Promise<string> {
  const folder = join(inject('logFolder'), 'pages')
  if (!existsSync(join(folder, 'index.html'))) await buildWeb(folder)
  return folder
}
