import { spawnSync } from 'node:child_process'
import { buildWeb } from './product.ts'

// pnpm e2e [Playwright's arguments]: builds the pages, then runs the stories against them.
await buildWeb()
const stories = spawnSync('playwright', ['test', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(stories.status ?? 1)
