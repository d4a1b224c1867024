import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** What a first visit of a page may load as JavaScript, in KiB after gzip. */
const limits: Limit[] = [
  { page: '/', chunk: 'src/features/home/home-page.tsx', limit: 115 },
  { page: '/login', chunk: 'src/features/sign-in/login/login-page.tsx', limit: 119 },
  { page: '/user', chunk: 'src/features/profile/user-page.tsx', limit: 130 },
  { page: '/merchant/users', chunk: 'src/features/merchant-users/users-page.tsx', limit: 160 },
]

/** Modules of the back-office only: its features, its feedback pages, its frame, its tables, its editor. */
const ofBackOffice = [
  /^src\/features\/(merchant-[\w-]+|ai)\//,
  /^src\/features\/feedback\/desk\//,
  /^src\/ui\/(data-table|json-editor)\//,
  /^src\/frame\/(merchant-frame|side-list)[.-]/,
  /(^|\/)node_modules\/(@codemirror|@lezer)\//,
]
const isBackOffice = (module: string) => ofBackOffice.some((pattern) => pattern.test(module))

interface Limit {
  page: string
  /** The lazily loaded module of the page. */
  chunk: string
  limit: number
}

/** Vite's manifest: chunks by the path of their source, shared ones by a made-up name. */
export type Manifest = Record<
  string,
  { file: string; src?: string; isEntry?: boolean; isDynamicEntry?: boolean; imports?: string[] }
>

/** The modules of each script, as apps/web/vite-modules.ts writes them. */
export type Modules = Record<string, string[]>

function collect(manifest: Manifest, key: string, files: Set<string>): void {
  const chunk = manifest[key]
  if (!chunk) throw new Error(`the build has no chunk ${key}`)
  if (files.has(chunk.file)) return
  files.add(chunk.file)
  for (const imported of chunk.imports ?? []) collect(manifest, imported, files)
}

/** The scripts of a first visit: the entry and the page's chunk, each with all it imports statically. */
export function firstLoad(manifest: Manifest, chunk: string): string[] {
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  if (entries.length === 0) throw new Error('the build has no entry')
  const files = new Set<string>()
  for (const key of [...entries, chunk]) collect(manifest, key, files)
  return [...files].filter((file) => file.endsWith('.js'))
}

/** Back-office modules in what the pages of customers load, at once or later. */
export function strays(manifest: Manifest, modules: Modules): string[] {
  const parts = Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry && !isBackOffice(key))
  const found = parts.flatMap((part) =>
    firstLoad(manifest, part).flatMap((file) => {
      const held = modules[file]
      if (!held) throw new Error(`nothing is known of what ${file} is made of`)
      return held.filter(isBackOffice).map((module) => `${part} brings ${module} in ${file}`)
    }),
  )
  return [...new Set(found)]
}

export const gzipKib = (contents: Buffer[]) =>
  contents.reduce((sum, content) => sum + gzipSync(content).length, 0) / 1024

function main(): number {
  const dist = 'apps/web/dist'
  const read = (name: string): unknown => JSON.parse(readFileSync(join(dist, '.vite', name), 'utf8'))
  const manifest = read('manifest.json') as Manifest
  // A classic script of the document itself, so the manifest doesn't know it.
  const boot = globSync('assets/boot-*.js', { cwd: dist })
  if (boot.length !== 1) throw new Error(`expected one assets/boot-*.js in the build, found ${boot.length}`)
  let heavy = 0
  for (const { page, chunk, limit } of limits) {
    const files = new Set([...boot, ...firstLoad(manifest, chunk)])
    const size = gzipKib([...files].map((file) => readFileSync(join(dist, file))))
    if (size > limit) heavy += 1
    const verdict = size > limit ? 'too heavy' : 'ok'
    console.log(`${page}: ${size.toFixed(1)} KiB gz in ${files.size} files, limit ${limit}: ${verdict}`)
  }
  const stray = strays(manifest, read('modules.json') as Modules)
  for (const each of stray) console.error(each)
  console.log(`${stray.length} modules of the back-office in what customers load`)
  return heavy + stray.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main()
