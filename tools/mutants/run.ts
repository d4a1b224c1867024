import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Outcome, readReports } from '../checks/test-reports.ts'
import { copyTree, type TreeCopy } from '../checks/tree-copy.ts'
import { type Mutant, plant, verdict } from './mutant.ts'

// pnpm mutants [id …]: plants each fault in a copy of the tree and runs the test listed beside it, which must fail. Without the
// fault the same tests must pass.
const mutants: Mutant[] = JSON.parse(readFileSync(join(import.meta.dirname, 'mutants.json'), 'utf8'))

const quote = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

function vitestArgs(some: Mutant[]): string[] {
  const of = (read: (mutant: Mutant) => string) => [...new Set(some.map(read))]
  const projects = of(({ test }) => test.project).flatMap((project) => ['--project', project])
  const titles = of(({ test }) => quote(test.title)).join('|')
  return ['run', ...projects, ...of(({ test }) => test.file), '-t', titles]
}

/** Runs the tests of the mutants with these files in the tree; a story is a test of the project `e2e`. */
function outcomesWith(tree: TreeCopy, files: Record<string, string>, some: Mutant[]): Outcome[] {
  const reports = join(tree.folder, 'reports')
  rmSync(reports, { recursive: true, force: true })
  const [stories, tests] = [some.filter(isStory), some.filter((mutant) => !isStory(mutant))]
  if (tests.length > 0) tree.runWith(files, 'vitest', ...vitestArgs(tests))
  const outcomes = tests.length > 0 ? readReports(reports).outcomes : []
  for (const { test } of stories) {
    tree.runWith(files, 'node', 'tools/run/e2e.ts', '--short', test.file, '-g', quote(test.title))
    outcomes.push(...readReports(reports).outcomes)
  }
  return outcomes
}

const isStory = ({ test }: Mutant) => test.project === 'e2e'

function killed(tree: TreeCopy, mutant: Mutant): boolean {
  const source = readFileSync(join(tree.folder, mutant.file), 'utf8')
  const result = verdict(outcomesWith(tree, { [mutant.file]: plant(mutant, source) }, [mutant]), mutant.test.title)
  console.log(`${mutant.id}  ${result.padEnd(8)}  ${mutant.title}`)
  return result === 'killed'
}

function main(asked: string[]): number {
  const wanted = mutants.filter(({ id }) => asked.length === 0 || asked.includes(id))
  const tree = copyTree()
  try {
    const sound = outcomesWith(tree, {}, wanted)
    const unsound = wanted.filter(({ test }) => verdict(sound, test.title) !== 'survived')
    for (const { id, test } of unsound) console.error(`${id}: without the fault this test does not pass: ${test.title}`)
    const dead = wanted.filter((mutant) => killed(tree, mutant))
    console.log(`mutants: ${dead.length} of ${wanted.length} killed`)
    return unsound.length > 0 || dead.length < wanted.length || wanted.length === 0 ? 1 : 0
  } finally {
    tree.remove()
  }
}

process.exitCode = main(process.argv.slice(2))
