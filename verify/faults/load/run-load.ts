import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import type { Loaded, Plan } from './plan.ts'

/** Offers mixed calls by the clock from a process of its own. */
export async function runLoad(plan: Plan): Promise<Loaded> {
  const folder = makeTemporaryFolder('load')
  const file = join(folder, 'plan.json')
  writeFileSync(file, JSON.stringify(plan))
  const program = spawn(...boundToParent(process.execPath, [join(import.meta.dirname, 'open-loop.ts'), file]), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  for await (const chunk of program.stdout) printed += chunk
  rmSync(folder, { recursive: true, force: true })
  if (!printed) throw new Error('the load ended without a word')
  return JSON.parse(printed) as Loaded
}
