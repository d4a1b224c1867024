import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// pnpm attacks [A01 …] [--short] and pnpm faults [F06 …] [--short]: the named ids of security.md, or all of them.
const root = join(import.meta.dirname, '../..')
const [folder = 'attacks', ...rest] = process.argv.slice(2)
const short = rest.includes('--short')
const ids = rest.filter((word) => !word.startsWith('--'))
const unknown = ids.filter((id) => !/^[AF]\d{2}$/i.test(id))
if (!['attacks', 'faults'].includes(folder) || unknown.length > 0) {
  console.error(
    `node tools/run/attacks.ts attacks|faults [ID …] [--short]; not understood: ${unknown.join(' ') || folder}`,
  )
  process.exit(1)
}

const files = ids.map((id) => `${folder}/${id.toLowerCase()}-`)
const pattern = ids.length > 0 ? ['-t', `^(${ids.join('|').toUpperCase()}) `] : []
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', `${folder}/vitest.config.ts`, ...files, ...pattern],
  { cwd: root, stdio: 'inherit', env: { ...process.env, ...(short && { HUFU_SHORT: '1' }) } },
)
process.exit(status ?? 1)
