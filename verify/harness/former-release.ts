import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { buildArtefact } from '../../tools/release/build.ts'
import { artefact, buildIn } from '../../tools/run/build.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type Release, releaseOf } from './releases.ts'

const root = join(import.meta.dirname, '../..')
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

export interface FormerRelease extends Release {
  /** The commit that it was made from. */
  commit: string
  /** The migrations added since. */
  steps: string[]
  remove(): void
}

/**
 * The commit of the last release: the one before CHANGELOG.md began a section of what is unreleased. HUFU_FORMER names
 * another. Undefined where the history doesn't go so far back.
 */
export function lastReleased(): string | undefined {
  try {
    const began = git('log', '-1', '-S(unreleased)', '--format=%h', '--', 'CHANGELOG.md')
    return git('rev-parse', '--short', '--verify', '--quiet', process.env.HUFU_FORMER ?? `${began}^`)
  } catch {
    return undefined
  }
}

/** Its server and contract, with the packages of today: links are copied as they are, so that workspaces find each other. */
function checkOut(commit: string, folder: string): void {
  const parts = ['package.json', 'tsconfig.base.json', 'apps/server', 'packages/contract']
  const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: root, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  for (const modules of globSync('{apps/server,packages/contract}/node_modules', { cwd: root }))
    cpSync(join(root, modules), join(folder, modules), { recursive: true, verbatimSymlinks: true })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(root, 'node_modules/.pnpm'), join(folder, 'node_modules/.pnpm'))
}

/** With the pages of today: they are not opened here. */
async function makeRelease(sources: string, output: string, today: string): Promise<string> {
  const pages = (folder: string) => cpSync(join(today, 'web'), folder, { recursive: true })
  return (await buildArtefact(output, sources, pages)).folder
}

/** That version, as this run runs versions: from its sources, or made into a release. */
export async function formerRelease(commit: string, logFolder: string): Promise<FormerRelease> {
  const folder = makeTemporaryFolder('former')
  const sources = join(folder, 'sources')
  mkdirSync(sources)
  checkOut(commit, sources)
  const made = artefact && (await makeRelease(sources, join(folder, 'release'), artefact))
  const steps = git('diff', '--name-only', '--diff-filter=A', commit, 'HEAD', '--', 'apps/server/migrations').split(
    '\n',
  )
  return {
    ...releaseOf(buildIn(made || sources), logFolder),
    commit,
    steps,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
