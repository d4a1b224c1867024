import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { manifestOf } from './packages.ts'

/** The package that a module belongs to: the nearest folder above that has a name and a version. */
function packageOf(module: string): string | undefined {
  for (let folder = dirname(module); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && manifestOf(folder).version) return folder
  }
  return undefined
}

const isText = (file: string): boolean => /^(licen[cs]e|copying|notice)/i.test(file)

function noticeOf(folder: string): string {
  const { name, version, license } = manifestOf(folder) as ReturnType<typeof manifestOf> & { license?: string }
  const texts = readdirSync(folder).filter(isText)
  const words = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`${name} ${version}`, `License: ${license ?? 'see below'}`, ...words].join('\n\n')
}

/** Names, versions and licences of everything of others that is delivered, whole texts included. */
export function licencesOf(modules: string[], folders: Iterable<string>): string {
  const own = modules.filter((module) => module.includes('/node_modules/'))
  const all = new Set([...own.map(packageOf).filter((folder) => folder !== undefined), ...folders])
  const notices = new Map(
    [...all].map((folder) => [`${manifestOf(folder).name} ${manifestOf(folder).version}`, folder]),
  )
  return [...notices]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([, folder]) => noticeOf(folder))
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}
