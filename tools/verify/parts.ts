import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { benches } from '../../verify/bench/benches.ts'
import type { Figure } from '../../verify/harness/figures.ts'
import { idsOf, readFigures } from '../run/figures-table.ts'

/** What a part is started with besides its own arguments. */
export interface Given {
  /** Where the part leaves its reports. */
  folder: string
  /** The archive of the release; empty for parts that have no use for it. */
  archive: string
}

/** Something that `pnpm verify` runs, with a row of its own. */
export interface Part {
  id: string
  /** Other names that mean this part, with others. */
  group?: string
  /** A script of package.json. */
  script: string
  args?(given: Given): string[]
  environment?(given: Given): Record<string, string>
  /** Runs with the release that was built for this run. */
  onRelease?: boolean
  /** Measures time: waits until the machine is quiet. */
  measures?: boolean
  /** The figures that it left; a part without any is judged by its exit code. */
  figures?(given: Given): Figure[]
}

const readJson = <Data>(file: string): Data | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Data) : undefined

interface StoryReport {
  stats: { expected: number; unexpected: number; flaky: number }
}

const storyReport = ({ folder }: Given) => join(folder, 'e2e.json')

function storyFigures(given: Given): Figure[] {
  const { stats } = readJson<StoryReport>(storyReport(given)) ?? {}
  if (!stats) return []
  return [
    { name: 'stories passed', value: stats.expected, limit: ['>=', 1] },
    { name: 'stories failed', value: stats.unexpected + stats.flaky, limit: ['=', 0] },
  ]
}

const stories: Omit<Part, 'id'> = {
  script: 'e2e',
  environment: (given) => ({ PLAYWRIGHT_JSON_OUTPUT_FILE: storyReport(given) }),
  figures: storyFigures,
}

/** Attacks that measure time or memory. */
const measuring = ['A10', 'A11', 'A34', 'A39']

const attack = (id: string): Part => ({
  id,
  group: 'attacks',
  script: 'attacks',
  args: () => [id],
  measures: measuring.includes(id),
  figures: ({ folder }) => readFigures(join(folder, 'figures-attacks.jsonl')),
})

const fault = (id: string): Part => ({
  id,
  group: 'faults',
  script: 'faults',
  args: () => [id, '--artefact'],
  onRelease: true,
  measures: true,
  figures: ({ folder }) => readFigures(join(folder, 'figures-faults.jsonl')),
})

const bench = (name: string): Part => ({
  id: `bench:${name}`,
  group: 'bench',
  script: 'bench',
  args: ({ folder }) => [name, '--json', join(folder, 'figures.json')],
  onRelease: name === 'cold-start',
  measures: true,
  figures: ({ folder }) => readJson<Figure[]>(join(folder, 'figures.json')) ?? [],
})

/** Everything that must hold before a release, in the order in which it runs. */
export const parts: Part[] = [
  { id: 'check', script: 'check' },
  { id: 'e2e', ...stories },
  { id: 'e2e:artefact', ...stories, args: () => ['--artefact'], onRelease: true },
  ...idsOf.attacks.map(attack),
  ...idsOf.faults.map(fault),
  { id: 'alerts', script: 'alerts' },
  ...Object.keys(benches).map(bench),
  { id: 'screens', script: 'screens' },
  { id: 'mutants', script: 'mutants' },
  { id: 'fuzz', script: 'fuzz' },
  { id: 'compat', script: 'compat' },
  { id: 'webhooks-oracles', script: 'webhooks-oracles' },
  { id: 'examples', script: 'examples' },
  { id: 'openapi-clients', script: 'openapi', args: () => ['clients'] },
  { id: 'schemathesis', script: 'openapi', args: () => ['schemathesis'] },
  { id: 'try-install', script: 'try-install', args: ({ archive }) => ['--archive', archive], onRelease: true },
  { id: 'image', script: 'image' },
]

/** The parts of these ids and groups, all where none is named. */
export function partsNamed(names: string[]): Part[] {
  const wanted = names.map((name) => (/^[af]\d\d$/.test(name) ? name.toUpperCase() : name))
  const known = new Set(parts.flatMap(({ id, group }) => [id, group]))
  const unknown = wanted.filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`no part named ${unknown.join(', ')}`)
  return parts.filter(
    ({ id, group }) => wanted.length === 0 || wanted.includes(id) || (group !== undefined && wanted.includes(group)),
  )
}
