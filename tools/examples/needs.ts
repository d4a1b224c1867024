import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** What a guide may ask for in its line that begins with `You need`, and how to ask the machine for its version. */
const tools: Record<string, [command: string, ...args: string[]]> = {
  Node: ['node', '--version'],
  Go: ['go', 'version'],
  Python: ['python3', '--version'],
  Java: ['java', '-version'],
  Maven: ['mvn', '--version'],
  Apache: ['/usr/sbin/apache2', '-v'],
  jq: ['jq', '--version'],
}

const isAtLeast = (found: number[], wanted: number[]): boolean => {
  const differs = wanted.findIndex((part, at) => part !== (found[at] ?? 0))
  return differs < 0 || (found[differs] ?? 0) > (wanted[differs] ?? 0)
}

const numbers = (version: string) => version.split('.').map(Number)

function fault(tool: string, wanted: string | undefined): string | undefined {
  const [command, ...args] = tools[tool] ?? ['false']
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) return `${tool} is not installed`
  const [found = '0'] = /\d+(\.\d+)*/.exec(stripVTControlCharacters(stdout + stderr)) ?? []
  if (wanted && !isAtLeast(numbers(found), numbers(wanted))) return `${tool} ${wanted} is needed, not ${found}`
  return undefined
}

/** What the guide of an example needs and this machine has not. */
export function missingFor(guide: string): string[] {
  const lines = readFileSync(guide, 'utf8').split('\n')
  const line = lines.find((each) => each.startsWith('You need '))
  if (line === undefined) throw new Error(`${guide} has no line that begins with "You need"`)
  const asked = line.matchAll(new RegExp(`\\b(${Object.keys(tools).join('|')})\\b(?: (\\d+(?:\\.\\d+)*))?`, 'g'))
  return [...asked].flatMap(([, tool = '', wanted]) => fault(tool, wanted) ?? [])
}

export const guideOf = (name: string) => join(import.meta.dirname, '../../examples', name, 'README.md')
