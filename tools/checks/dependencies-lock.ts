import { globSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A part of the lock file: texts, and parts by their name. */
export interface Part {
  [name: string]: string | Part
}

const quoted = (text: string) => text.replace(/^'(.*)'$/, (_, inner: string) => inner.replaceAll("''", "'"))

/** Reads what pnpm writes: names nested by two spaces each, a text behind a name. Lists and the like say nothing here. */
export function readLock(yaml: string): Part {
  const root: Part = {}
  const open: Part[] = [root]
  for (const line of yaml.split('\n')) {
    const [, indent = '', name, text] = /^((?: {2})*)('(?:[^']|'')+'|[^\s'"#-][^:]*):(?: (.+))?$/.exec(line) ?? []
    if (!name) continue
    const depth = indent.length / 2
    const parent = open[depth]
    if (!parent) throw new Error(`the lock can't be read at: ${line}`)
    open.length = depth + 1
    if (text !== undefined) parent[quoted(name)] = quoted(text)
    else open.push(parted(parent, quoted(name)))
  }
  return root
}

function parted(parent: Part, name: string): Part {
  const part: Part = {}
  parent[name] = part
  return part
}

export const partOf = (part: Part | undefined, name: string): Part => {
  const found = part?.[name]
  return typeof found === 'object' ? found : {}
}

/** A package as installed: name and version, without its peers. */
const plain = (key: string): string => key.replace(/\(.*$/s, '')

/** The hash of a package's archive, as the registry has it; undefined where it comes from anywhere else. */
export function integrityOf(lock: Part, key: string): string | undefined {
  const { resolution } = partOf(partOf(lock, 'packages'), plain(key))
  return typeof resolution === 'string' ? /^\{integrity: (sha512-[\w+/=]+)\}$/.exec(resolution)?.[1] : undefined
}

/** The manifest of a package. */
export interface Manifest {
  name: string
  version: string
  license?: string | { type?: string }
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export const readManifest = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8'))

/** Every installed package by name and version, with where it lies. */
export function installed(root: string): Map<string, Manifest & { folder: string }> {
  const found = new Map<string, Manifest & { folder: string }>()
  for (const path of globSync('node_modules/.pnpm/*/node_modules/{*,@*/*}/package.json', { cwd: root })) {
    const folder = join(root, dirname(path))
    if (lstatSync(folder).isSymbolicLink()) continue
    const manifest = readManifest(join(root, path))
    found.set(`${manifest.name}@${manifest.version}`, { ...manifest, folder })
  }
  return found
}
