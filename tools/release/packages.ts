import { cpSync, existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Manifest {
  name: string
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Where a package that is installed lies, as its user would find it; undefined for what doesn't fit this machine. */
function find(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name)
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate)
    if (folder === dirname(folder)) return undefined
  }
}

/** The named packages and everything they need, by name; two versions of one name would need more than a flat folder. */
export function closureOf(names: string[], from: string): Map<string, string> {
  const found = new Map<string, string>()
  function add(name: string, user: string, optional: boolean) {
    const folder = find(name, user)
    if (!folder && optional) return
    if (!folder) throw new Error(`${name} isn't installed`)
    if (found.has(name) && found.get(name) !== folder) throw new Error(`two versions of ${name} would be needed`)
    if (found.has(name)) return
    found.set(name, folder)
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
    for (const needed of Object.keys(dependencies)) add(needed, folder, needed in optionalDependencies)
    for (const needed of Object.keys(optionalDependencies)) add(needed, folder, true)
  }
  for (const name of names) add(name, from, false)
  return found
}

/** Types, maps and tests of dependencies are not needed at run time. */
const delivered = (path: string): boolean => !/\.(d\.[cm]?ts|map|md)$|\/(test|tests|docs|src\/__tests__)\//.test(path)

export function copyPackages(packages: Map<string, string>, folder: string): void {
  for (const [name, from] of packages)
    cpSync(from, join(folder, name), { recursive: true, filter: (path) => delivered(path.slice(from.length)) })
}
