import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  installed,
  integrityOf,
  type Manifest,
  type Part,
  partOf,
  readLock,
  readManifest,
} from './dependencies-lock.ts'

const decision = 'docs/decisions/001-dependencies.md'

/** The inputs that decide what is installed. */
export interface Tree {
  /** Our own package.json files by their path. */
  manifests: Record<string, Manifest>
  /** pnpm-workspace.yaml, read like the lock. */
  workspace: Part
  lock: Part
  /** Name and version of installed packages that would run something while they are installed. */
  scripted: string[]
  /** The page with the reasons. */
  reasons: string
}

/** Packages of the page's tables by name, each with whether a reason stands beside it. */
function reasoned(page: string): Map<string, boolean> {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    rows.flatMap((row) => {
      const [, names = '', ...cells] = row.split('|').map((cell) => cell.trim())
      // The last cell, before the line that closes the row.
      const reason = cells.at(-2) ?? ''
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, reason.length > 0] as const)
    }),
  )
}

/** `@codemirror/*` stands for all packages of that scope. */
const covers = (listed: string, name: string) =>
  listed.endsWith('/*') ? name.startsWith(listed.slice(0, -1)) : listed === name

const isExact = (version: string) => /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || version === 'workspace:*'

/** What our own packages ask for, by name, with the versions and where. */
function asked(manifests: Tree['manifests']): { name: string; version: string; path: string }[] {
  return Object.entries(manifests).flatMap(([path, { dependencies, devDependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).map(([name, version]) => ({
      name,
      version,
      path,
    })),
  )
}

/** Every dependency is listed on the page with its reason, and the page lists nothing else. */
function unreasoned(names: Set<string>, page: string): string[] {
  const listed = reasoned(page)
  const missing = [...names].filter((name) => ![...listed].some(([each, reason]) => reason && covers(each, name)))
  const stale = [...listed.keys()].filter((each) => ![...names].some((name) => covers(each, name)))
  return [
    ...missing.map((name) => `${name}: no reason in ${decision}`),
    ...stale.map((name) => `${name}: listed in ${decision}, but no package uses it`),
  ]
}

export function faultsOf({ manifests, workspace, lock, scripted, reasons }: Tree): string[] {
  const wanted = asked(manifests)
  const allowed = Object.entries(partOf(workspace, 'allowBuilds')).flatMap(([name, yes]) =>
    yes === 'true' ? [name] : [],
  )
  const names = wanted.filter(({ version }) => version !== 'workspace:*').map(({ name }) => name)
  const nameOf = (key: string) => key.slice(0, key.lastIndexOf('@'))
  return [
    ...unreasoned(new Set([...names, ...allowed, ...Object.keys(partOf(workspace, 'overrides'))]), reasons),
    ...wanted
      .filter(({ version }) => !isExact(version))
      .map(({ name, version, path }) => `${path}: ${name} is asked for as ${version}, not by one version`),
    ...scripted
      .filter((key) => !allowed.includes(nameOf(key)))
      .map((key) => `${key}: runs a script while it is installed`),
    ...Object.keys(partOf(lock, 'packages'))
      .filter((key) => !integrityOf(lock, key))
      .map((key) => `${key}: the lock has no hash of it from the registry`),
  ]
}

/** Where a binding.gyp lies, a package is built while it is installed, also without saying so. */
const runsScript = ({ scripts = {}, folder }: Manifest & { folder: string }) =>
  ['preinstall', 'install', 'postinstall'].some((moment) => scripts[moment]) || existsSync(join(folder, 'binding.gyp'))

/** Installed packages that would run something while they are installed. */
export const scriptedIn = (root: string): string[] =>
  [...installed(root)].filter(([, manifest]) => runsScript(manifest)).map(([key]) => key)

function readTree(root: string): Tree {
  const paths = ['package.json', ...globSync('{apps,packages}/*/package.json', { cwd: root })]
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return {
    manifests: Object.fromEntries(paths.map((path) => [path, readManifest(join(root, path))])),
    workspace: readLock(read('pnpm-workspace.yaml')),
    lock: readLock(read('pnpm-lock.yaml')),
    scripted: scriptedIn(root),
    reasons: read(decision),
  }
}

function main(root: string): number {
  const tree = readTree(root)
  const faults = faultsOf(tree)
  for (const fault of faults) console.error(fault)
  const locked = Object.keys(partOf(tree.lock, 'packages')).length
  // Those for other machines are locked and not here: their manifests can't be looked at.
  console.log(
    `${asked(tree.manifests).length} direct, ${locked} locked, ${installed(root).size} installed, ${faults.length} faults`,
  )
  return faults.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main(process.cwd())
