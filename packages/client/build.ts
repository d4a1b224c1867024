import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

// What the packed package contains: plain modules with their types, and the licence of the repository.
const here = import.meta.dirname
rmSync(join(here, 'dist'), { recursive: true, force: true })
execFileSync(
  join(here, 'node_modules/.bin/tsc'),
  [
    '--project',
    join(here, 'tsconfig.json'),
    '--outDir',
    join(here, 'dist'),
    '--incremental',
    'false',
    '--composite',
    'false',
  ],
  {
    stdio: 'inherit',
  },
)
copyFileSync(join(here, '../../LICENSE'), join(here, 'LICENSE'))
