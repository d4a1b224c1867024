import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type Outcome, readReports, storyTitles } from './test-reports.ts'

export interface Line {
  id: string
  tag: string
  text: string
}

export function parseChecklist(markdown: string): Line[] {
  return [...markdown.matchAll(/^- ([SD]\d{3}|[AF]\d{2}) \[([a-z-]+)\] (.+)$/gm)].map(
    ([, id = '', tag = '', text = '']) => ({ id, tag, text }),
  )
}

const idsOf = (title: string) => title.match(/\b[SDAF]\d{2,3}\b/g) ?? []
const idsIn = (outcomes: Outcome[]) => outcomes.flatMap(({ title }) => idsOf(title))

/** Ids that stand in a passed title and in no failed one, whatever the report or project. */
export function provedIds(outcomes: Outcome[]): Set<string> {
  const failed = new Set(idsIn(outcomes.filter(({ result }) => result === 'failed')))
  const passed = idsIn(outcomes.filter(({ result }) => result === 'passed'))
  return new Set(passed.filter((id) => !failed.has(id)))
}

export function unknownIds(lines: Line[], outcomes: Outcome[]): string[] {
  const known = new Set(lines.map(({ id }) => id))
  return [...new Set(idsIn(outcomes))].filter((id) => !known.has(id)).sort()
}

export function countByTag(lines: Line[], proved: Set<string>): { tag: string; proved: number; all: number }[] {
  return [...Map.groupBy(lines, ({ tag }) => tag)]
    .map(([tag, own]) => ({ tag, proved: own.filter(({ id }) => proved.has(id)).length, all: own.length }))
    .sort((a, b) => a.tag.localeCompare(b.tag))
}

/** Statements of the specification and the decisions that nothing of what is given proves. */
export function missing(lines: Line[], proved: Set<string>): Line[] {
  return lines.filter(({ id }) => /^[SD]/.test(id) && !proved.has(id))
}

/** What stories would prove if they ran: a story of the tree carries the id, and none of the last run failed with it. */
export function carriedIds(outcomes: Outcome[], titles: string[]): Set<string> {
  const failed = new Set(idsIn(outcomes.filter(({ result }) => result === 'failed')))
  const carried = titles.flatMap(idsOf).filter((id) => !failed.has(id))
  return new Set([...provedIds(outcomes), ...carried])
}

/** Those that CI runs, without running any. */
function listStories(): string[] {
  const env = { ...process.env, HUFU_SHORT: '1' }
  const { stdout, status } = spawnSync('playwright', ['test', '--list', '--reporter=json'], { encoding: 'utf8', env })
  if (status !== 0) throw new Error('the stories could not be listed')
  return storyTitles(JSON.parse(stdout))
}

function printUnproved(lines: Line[], proved: Set<string>, tag: string | undefined) {
  for (const line of lines) {
    if (!proved.has(line.id) && (!tag || line.tag === tag)) console.log(`${line.id} [${line.tag}] ${line.text}`)
  }
}

function main(args: string[]): number {
  const lines = parseChecklist(readFileSync('docs/checklist.md', 'utf8'))
  const { names, outcomes } = existsSync('reports') ? readReports('reports') : { names: [], outcomes: [] }
  const proved = provedIds(outcomes)
  const asked = args.indexOf('--unproved')
  if (asked >= 0) printUnproved(lines, proved, args[asked + 1])
  else for (const count of countByTag(lines, proved)) console.log(`[${count.tag}] ${count.proved}/${count.all}`)
  // Where the stories haven't run yet, that each id has its test; at the end of everything, that each test passed.
  const complete = args.includes('--carried')
    ? carriedIds(outcomes, listStories())
    : args.includes('--complete')
      ? proved
      : undefined
  const open = complete ? missing(lines, complete) : []
  for (const { id, text } of open) console.error(`${id}: no passing test carries it: ${text}`)
  const unknown = unknownIds(lines, outcomes)
  for (const id of unknown) console.error(`${id}: a test names it, docs/checklist.md doesn't know it`)
  if (names.length === 0) console.error('no report in reports/: run the tests first')
  const done = lines.filter(({ id }) => proved.has(id)).length
  console.log(`${done} of ${lines.length} proved, by ${outcomes.length} tests in ${names.join(', ') || 'no report'}`)
  return unknown.length > 0 || names.length === 0 || open.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
