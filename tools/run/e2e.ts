import { existsSync } from 'node:fs'
import { runToEnd } from './run-to-end.ts'
import './end-with-script-runner.ts'
import { unpackArtefact } from '../release/unpack.ts'
import { buildWeb, webFolder } from './product.ts'

// pnpm e2e [Playwright's arguments]: builds the pages, then runs the stories against them and the sources, at both sizes.
// pnpm e2e --short: what CI runs: the stories without the tag @full, each at one size.
// pnpm e2e --built: on the pages as they were built last, if they were.
// pnpm e2e --artefact [Playwright's arguments]: builds the release, unpacks it in an empty folder and runs stories against two
// API processes and a worker of it behind nginx with TLS; without a file named, those of its promise.
const args = process.argv.slice(2)
const ours = ['--artefact', '--built', '--short']
const promised = ['login', 'scan-login', 'feedback', 'config', 'config-preview'].map(
  (story) => `verify/stories/${story}.spec.ts`,
)

function runPlaywright(words: string[], environment: Record<string, string> = {}): Promise<number> {
  const env = { ...process.env, ...(args.includes('--short') && { HUFU_SHORT: '1' }), ...environment }
  return runToEnd('playwright', ['test', ...words], { env })
}

async function onArtefact(words: string[]): Promise<number> {
  const { home, remove } = await unpackArtefact()
  const files = words.some((word) => word.includes('.spec')) ? [] : promised
  try {
    return await runPlaywright([...files, ...words], { HUFU_ARTEFACT: home })
  } finally {
    remove()
  }
}

async function onSources(words: string[]): Promise<number> {
  if (!args.includes('--built') || !existsSync(webFolder)) await buildWeb()
  return await runPlaywright(words)
}

const rest = args.filter((word) => !ours.includes(word))
process.exit(await (args.includes('--artefact') ? onArtefact(rest) : onSources(rest)))
