import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  installed,
  integrityOf,
  keyOf,
  type Manifest,
  type Part,
  partOf,
  plain,
  readLock,
  readManifest,
} from './dependencies-lock.ts'

const output = 'reports/bom.json'

interface Component {
  type: 'library'
  'bom-ref': string
  group?: string
  name: string
  version: string
  /** Optional ones are installed where they fit the machine. */
  scope: 'required' | 'optional'
  hashes: { alg: 'SHA-512'; content: string }[]
  licenses?: License[]
  purl: string
}

type License = { expression: string } | { license: { name: string } }

export interface Bom {
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  version: 1
  metadata: { component: object }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const textsOf = (part: Part): [string, string][] =>
  Object.entries(part).filter((entry): entry is [string, string] => typeof entry[1] === 'string')

/** What a package needs at run time, and what it takes along where it fits the machine. */
function needsOf(snapshot: Part): { key: string; optional: boolean }[] {
  return ['dependencies', 'optionalDependencies'].flatMap((kind) =>
    textsOf(partOf(snapshot, kind)).flatMap(([name, version]) => {
      const key = keyOf(name, version)
      return key ? [{ key, optional: kind === 'optionalDependencies' }] : []
    }),
  )
}

/** What our own packages ask for outside of development. */
function directNeeds(lock: Part): { key: string; optional: boolean }[] {
  return Object.values(partOf(lock, 'importers')).flatMap((importer) =>
    ['dependencies', 'optionalDependencies'].flatMap((kind) =>
      Object.entries(partOf(importer as Part, kind)).flatMap(([name, found]) => {
        const key = keyOf(name, String((found as Part).version))
        return key ? [{ key, optional: kind === 'optionalDependencies' }] : []
      }),
    ),
  )
}

/** Everything that is installed without development, and whether it is on every machine. */
function production(lock: Part): Map<string, boolean> {
  const required = new Map<string, boolean>()
  const waiting = directNeeds(lock).map(({ key, optional }) => ({ key, required: !optional }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const known = required.get(next.key)
    if (known === true || (known === false && !next.required)) continue
    required.set(next.key, next.required)
    const { required: everywhere } = next
    const needs = needsOf(partOf(partOf(lock, 'snapshots'), next.key))
    waiting.push(...needs.map(({ key, optional }) => ({ key, required: everywhere && !optional })))
  }
  return required
}

/** The address of a package in all registries of the world. */
export function purlOf(key: string): string {
  const at = key.lastIndexOf('@')
  return `pkg:npm/${key.slice(0, at).replace('@', '%40')}@${key.slice(at + 1)}`
}

/** As the package itself says it; what isn't in the words of SPDX is a mere name. */
function licensesOf(manifest: Manifest | undefined): Pick<Component, 'licenses'> {
  const license = typeof manifest?.license === 'object' ? manifest.license.type : manifest?.license
  if (!license) return {}
  const isExpression = /^\(?[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*\)?$/.test(license)
  return { licenses: [isExpression ? { expression: license } : { license: { name: license } }] }
}

function componentOf(lock: Part, key: string, required: boolean, manifest: Manifest | undefined): Component {
  const integrity = integrityOf(lock, key)
  if (!integrity) throw new Error(`${key} has no hash in the lock`)
  const [, scope, name = '', version = ''] = /^(?:(@[^/]+)\/)?(.+)@([^@]+)$/.exec(key) ?? []
  return {
    type: 'library',
    'bom-ref': purlOf(key),
    ...(scope && { group: scope }),
    name,
    version,
    scope: required ? 'required' : 'optional',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    ...licensesOf(manifest),
    purl: purlOf(key),
  }
}

/** A package that met several peers is one component that needs what any of them needs. */
function edges(lock: Part, keys: Iterable<string>, root: string): Bom['dependencies'] {
  const needed = new Map([[root, new Set(directNeeds(lock).map(({ key }) => purlOf(plain(key))))]])
  for (const key of keys) {
    const own = needed.get(purlOf(plain(key))) ?? new Set<string>()
    for (const need of needsOf(partOf(partOf(lock, 'snapshots'), key))) own.add(purlOf(plain(need.key)))
    needed.set(purlOf(plain(key)), own)
  }
  return [...needed].map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].sort() }))
}

/** The same lock gives the same bill, to the letter: it has neither a time nor a number of its own. */
export function billOf(lock: Part, product: Manifest, packages: Map<string, Manifest>): Bom {
  const keys = production(lock)
  const everywhere = new Map<string, boolean>()
  for (const [key, required] of keys) everywhere.set(plain(key), required || (everywhere.get(plain(key)) ?? false))
  const root = `${product.name}@${product.version}`
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: product.name,
        version: product.version,
        ...licensesOf(product),
      },
    },
    components: [...everywhere].sort().map(([key, required]) => componentOf(lock, key, required, packages.get(key))),
    dependencies: edges(lock, keys.keys(), root),
  }
}

export function readBill(root: string): Bom {
  const lock = readLock(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
  return billOf(lock, readManifest(join(root, 'package.json')), installed(root))
}

function main(root: string): void {
  const bill = readBill(root)
  mkdirSync(dirname(join(root, output)), { recursive: true })
  writeFileSync(join(root, output), `${JSON.stringify(bill, null, 2)}\n`)
  const unknown = bill.components.filter(({ licenses }) => !licenses).map(({ purl }) => purl)
  console.log(
    `${bill.components.length} components in ${output}; ${unknown.length} are for other machines or tell no licence`,
  )
}

if (import.meta.main) main(process.cwd())
