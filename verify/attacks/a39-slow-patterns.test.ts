import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pages } from '@hufu/contract/pages'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { encodings } from '../../apps/server/src/features/users-import/recognise-hash.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { few } from '../harness/harness.ts'
import { fieldsOf, jsonEndpoints, sampleFor, withField } from './samples.ts'

const length = 100 * 1024
const limitMs = 10 * leeway
const root = join(import.meta.dirname, '../..')

/** Patterns whose text can't be that long, with the length that it can have. */
const bounded: { source: string; length: number; why: string }[] = [
  { source: '%.*$', length: 64, why: 'addresses that isIP has accepted' },
  { source: '[^\\s<>"\']+@[^\\s<>"\']+', length: 500, why: 'a complaint cut to 500 characters before' },
]

/** Read from the operator's environment or from our own files, never from a caller. */
const notInput = [
  'platform/config/config.ts',
  'platform/postgres/migrate.ts',
  'platform/redis/client.ts',
  'platform/crypto/secrets.ts',
  'server/src/cli/cli.ts',
  'server/src/cli/commands.ts',
  'sites/region-table.ts',
]

/** Patterns put together at run time, built here as they are there. */
const built = [
  ...Object.values(pages).map((page) => new RegExp(`^${page.replace(/:\w+/g, '[^/]+')}/?$`)),
  new RegExp(`^\\d{${codeLength}}$`),
  new RegExp(`(?:^|\\D)(\\d{${codeLength}})(?!\\d)`),
  ...encodings.map(([pattern]) => pattern),
]
const builtIn = [
  'apps/server/src/features/users-import/recognise-hash.ts',
  'apps/server/src/http/documents.ts',
  'apps/web/src/ui/fields/code-text.ts',
  'packages/contract/src/verify-code.ts',
]

const files = globSync('{apps/server,apps/web,packages/contract}/src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .filter((file) => !notInput.some((known) => file.endsWith(known)))

interface Node {
  type: string
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
  [name: string]: unknown
}

/** Everything of a kind in a parsed file, however deep. */
function findAll(node: unknown, wanted: (node: Node) => boolean): Node[] {
  if (Array.isArray(node)) return node.flatMap((each) => findAll(each, wanted))
  if (typeof node !== 'object' || node === null) return []
  const own = wanted(node as Node) ? [node as Node] : []
  return [...own, ...Object.values(node).flatMap((each) => findAll(each, wanted))]
}

const parsed = new Map(
  files.map((file) => [
    file,
    parseAst(readFileSync(join(root, file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }),
  ]),
)

function literals(): { file: string; pattern: RegExp }[] {
  return [...parsed].flatMap(([file, tree]) =>
    findAll(tree, ({ regex }) => regex !== undefined && regex !== null).flatMap(({ regex }) =>
      regex ? [{ file, pattern: new RegExp(regex.pattern, regex.flags) }] : [],
    ),
  )
}

/** Runs of every kind of character that the pattern speaks of, with an end that spoils the match; made longer by `size`. */
function worst(pattern: RegExp): ((size: number) => string)[] {
  const spoken = [...new Set(pattern.source.replace(/\\[dwsDWSbB]/g, '').replace(/[\\^$()[\]{}|?*+]/g, ''))]
  const pairs = ['a@', 'a.', '1 ', '0.', '::', '0:', '%a', '//', '@a.', 'ab-', '+1']
  const units = [...new Set([...'a0A _-.@:/%+\t\n', ...spoken, ...pairs])]
  const run = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
  return units.flatMap((unit) => [
    ...['', '\n', '!', '@', '\n!'].map((end) => (size: number) => run(unit, size) + end),
    ...['+', '/', '%', 'a', '@'].map((start) => (size: number) => `${start}${run(unit, size)}!`),
  ])
}

/** Shorter texts first: what is slow with them needn't be waited for at full length. */
const steps = [16, 20, 24, 28, 32, 36, 40, 48, 64, 128, 1_024, 8_192, 32_768]
const sizes = (full: number) => [...steps.filter((size) => size < full), full]

interface Slowest {
  ms: number
  description: string
}

function slowest(texts: ((size: number) => string)[], full: number, work: (text: string) => unknown): Slowest {
  let worstOne: Slowest = { ms: 0, description: '' }
  for (const make of texts) {
    for (const size of sizes(full)) {
      const text = make(size)
      // By CPU time: other load on the machine is not the pattern's fault.
      const time = () => {
        const before = process.threadCpuUsage()
        work(text)
        const { user, system } = process.threadCpuUsage(before)
        return (user + system) / 1_000
      }
      // Nor is a pause to collect garbage: what is slow stays slow.
      let ms = time()
      for (let tried = 0; ms > limitMs && tried < 2; tried++) ms = Math.min(ms, time())
      if (ms > worstOne.ms)
        worstOne = { ms, description: `${ms.toFixed(0)} ms with ${size} × ${JSON.stringify(text.slice(0, 8))}…` }
      if (ms > limitMs) return worstOne
    }
  }
  return worstOne
}

function apply(pattern: RegExp): (text: string) => unknown {
  const again = new RegExp(pattern.source, pattern.flags)
  return (text) => (again.global ? text.replace(again, '') : again.exec(text))
}

test('A39 every pattern handles 100 KB of its worst input within 10 ms', () => {
  const found = literals()
  const all = [...found, ...built.map((pattern) => ({ file: 'built at run time', pattern }))]
  // The same pattern in two files is tried once.
  const patterns = [...new Map(all.map((each) => [String(each.pattern), each])).values()]
  const slow: string[] = []
  let worstMs = 0
  for (const { file, pattern } of patterns) {
    const bound = bounded.find(({ source }) => source === pattern.source)
    const { ms, description } = slowest(worst(pattern), bound?.length ?? length, apply(pattern))
    worstMs = Math.max(worstMs, ms)
    if (ms > limitMs) slow.push(`${file} ${pattern}: ${description}`)
  }
  for (const line of slow) console.log(`A39: ${line}`)
  figure('patterns of the sources', all.length, ['>=', 100])
  figure('slowest pattern', worstMs, ['<=', limitMs], 'ms')
}, 600_000)

test('A39 patterns put together at run time are known here', () => {
  const makes = ({ type, callee }: Node) =>
    (type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp'
  const building = [...parsed].filter(([, tree]) => findAll(tree, makes).length > 0).map(([file]) => file)
  expect(building.sort()).toEqual(builtIn)
})

test('A39 every field of every call refuses or takes 100 KB within 10 ms', () => {
  const slow: string[] = []
  let [calls, worstMs] = [0, 0]
  for (const endpoint of jsonEndpoints) {
    const sample = sampleFor(endpoint)
    for (const field of fieldsOf(endpoint)) {
      const texts = worst(/@./).filter((_, index) => index % few(1, 4) === 0)
      calls += texts.length
      const { ms, description } = slowest(texts, length, (text) =>
        endpoint.input.safeParse(withField(sample, field, text)),
      )
      worstMs = Math.max(worstMs, ms)
      if (ms > limitMs) slow.push(`${endpoint.path} ${field}: ${description}`)
    }
  }
  for (const line of slow.slice(0, 10)) console.log(`A39: ${line}`)
  figure('texts of 100 KB into the fields of all calls', calls, ['>=', few(10_000, 5_000)])
  figure('slowest field', worstMs, ['<=', limitMs], 'ms')
}, 600_000)
