import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { type Import, importsOf, resolve, withoutComments } from './imports.ts'
import { type FeatureImport, featureImports, refusal, type Zone, zoneOf } from './zones.ts'

interface Module {
  path: string
  zone: Zone | undefined
  source: string
  imports: (Import & { target: string | undefined })[]
}

type Modules = Map<string, Module>

function readModules(files: Map<string, string>): Modules {
  const modules: Modules = new Map()
  for (const [path, source] of files) {
    const imports = importsOf(source).map((i) => ({ ...i, target: resolve(path, i.specifier, files) }))
    modules.set(path, { path, zone: zoneOf(path), source, imports })
  }
  return modules
}

/** What a module loads when it runs. */
const loads = (module: Module | undefined) => module?.imports.filter(({ typeOnly }) => !typeOnly) ?? []

/** The contract's modules that bring zod along, by themselves or through others. */
function schemaModules(modules: Modules): Set<string> {
  const found = new Set<string>()
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const module of modules.values()) {
      const brings = loads(module).some((i) => /^zod(\/|$)/.test(i.specifier) || found.has(i.target ?? ''))
      if (module.zone?.kind === 'contract' && brings) found.add(module.path)
    }
  }
  return found
}

const isWeb = (module: Module) => module.zone?.kind.startsWith('web ') ?? false
const webFeatures = 'apps/web/src/features/'

/** Whether the import is one of the few between web features. */
const isListed = (path: string, target: string | undefined, listed: FeatureImport[]) =>
  listed.some(([from, to]) => path === webFeatures + from && target === webFeatures + to)

function crossings(modules: Modules, listed: FeatureImport[]): string[] {
  const schemas = schemaModules(modules)
  return [...modules.values()].flatMap((module) => {
    const { path, zone, imports } = module
    if (!zone) return [`${path}: is in no zone that tools/checks/zones.ts lists: -`]
    return imports.flatMap(({ specifier, typeOnly, target }) => {
      if (isListed(path, target, listed)) return []
      const schema = isWeb(module) && !typeOnly && schemas.has(target ?? '')
      const rule = schema ? 'web takes only types from modules with schemas' : refusal(zone, specifier, target)
      return rule ? [`${path}: ${rule}: ${specifier}`] : []
    })
  })
}

/** Each cycle once, named by the import that closes it. */
function cycles(modules: Modules): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const visit = (path: string, way: string[]) => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (done.has(path)) return
    done.add(path)
    for (const { target } of loads(modules.get(path))) if (target && modules.has(target)) visit(target, [...way, path])
  }
  for (const path of modules.keys()) visit(path, [])
  return [...new Set(found)].map((cycle) => `${cycle.split(' ')[0]}: no import cycles: ${cycle}`)
}

/** The list of imports between web features holds nothing that is gone, and no two features import each other. */
function listedImports(modules: Modules, listed: FeatureImport[]): string[] {
  const gone = listed.filter(([from, to]) => {
    const imports = modules.get(webFeatures + from)?.imports ?? []
    return !imports.some(({ target }) => target === webFeatures + to)
  })
  const pairs = new Set(listed.map((paths) => paths.map((path) => path.split('/')[0]).join(' → ')))
  const mutual = [...pairs].filter((pair) => pairs.has(pair.split(' → ').reverse().join(' → ')))
  return [
    ...gone.map(([from, to]) => `${webFeatures}${from}: tools/checks/zones.ts lists an import that is gone: ${to}`),
    ...mutual.map((pair) => `${webFeatures}: no two features import each other: ${pair}`),
  ]
}

const importsCall = /\bimport\s*(?:\*|\{[^}]*(?<!\w)call\b)[^'"]*\bfrom\s*['"][^'"]*\/call\.ts['"]/
const callsPath = /(?<![.\w])call\(\s*['"`]\/api\//

/** Every call to the server stands in an api file of its feature or zone. */
function callers(modules: Modules): string[] {
  return [...modules.values()]
    .filter((module) => isWeb(module) && !/\.api\.ts$/.test(module.path))
    .filter(({ source }) => [importsCall, callsPath].some((pattern) => pattern.test(withoutComments(source))))
    .map(({ path }) => `${path}: only *.api.ts files call the server: call`)
}

/** An assignment for a library to read does not count as reading. */
const readsEnvironment =
  /\bprocess\s*(?:\??\.\s*env\b(?!\.\w+ = )|\[)|\{[^}]*\benv\b[^}]*\}\s*(?:=\s*process\b|from\s*['"](?:node:)?process['"])/

function environmentReaders(modules: Modules): string[] {
  return [...modules.values()]
    .filter(({ path }) => path.startsWith('apps/server/') && path !== 'apps/server/src/platform/config/config.ts')
    .filter(({ source }) => readsEnvironment.test(withoutComments(source)))
    .map(({ path }) => `${path}: only platform/config/config.ts reads the environment: process.env`)
}

const buildsQuery = /\.\s*(?:selectFrom|selectNoFrom|insertInto|replaceInto|updateTable|deleteFrom|mergeInto)\s*\(/

/** One style of statements. */
function queryBuilders(modules: Modules): string[] {
  return [...modules.values()]
    .filter(({ path }) => path.startsWith('apps/server/'))
    .flatMap(({ path, source }) => {
      const [call] = buildsQuery.exec(withoutComments(source)) ?? []
      return call ? [`${path}: statements are raw sql, not the query builder: ${call}`] : []
    })
}

function barrels(modules: Modules): string[] {
  return [...modules.values()]
    .filter(({ path }) => /^index\.tsx?$/.test(posix.basename(path)))
    .flatMap(({ path, imports }) => imports.filter((i) => i.reExport).map((i) => `${path}: no barrels: ${i.specifier}`))
}

/** More files than this in one folder are too many to look through. */
const filesMost = 30

function crowds(modules: Modules): string[] {
  const paths = [...modules.keys()].filter((path) => path.startsWith('apps/'))
  const folders = Map.groupBy(paths, (path) => posix.dirname(path))
  return [...folders]
    .filter(([, inside]) => inside.length > filesMost)
    .map(([folder, inside]) => `${folder}: at most ${filesMost} files in one folder: ${inside.length}`)
}

/** Files by their path from the repository's root; one line a violation. */
export function violations(files: Map<string, string>, listed: FeatureImport[] = []): string[] {
  const modules = readModules(files)
  const found = [crossings, listedImports].flatMap((rule) => rule(modules, listed))
  return [
    ...found,
    ...[cycles, environmentReaders, queryBuilders, callers, crowds, barrels].flatMap((rule) => rule(modules)),
  ]
}

function main(): number {
  const paths = globSync('{apps,packages}/*/src/**/*.{ts,tsx}').filter((path) => !/\.test\.tsx?$/.test(path))
  const found = violations(new Map(paths.sort().map((path) => [path, readFileSync(path, 'utf8')])), featureImports)
  for (const violation of found) console.error(violation)
  console.log(`${paths.length} modules read, ${found.length} violations`)
  return found.length > 0 || paths.length === 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main()
