import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Line, parseChecklist } from './checklist.ts'

// node tools/checks/sample.ts [commit]: twenty randomly chosen statements, to be broken in the code by hand: the test that
// carries each must fail.
const size = 20

/** By the hash of commit and id, so that the choice can be repeated and not be steered. */
export function sampleOf(lines: Line[], commit: string): Line[] {
  const rank = ({ id }: Line) => createHash('sha256').update(`${commit} ${id}`).digest('hex')
  return lines
    .filter(({ id }) => /^[SD]/.test(id))
    .toSorted((a, b) => rank(a).localeCompare(rank(b)))
    .slice(0, size)
}

function main([commit = 'HEAD']: string[]) {
  const hash = execFileSync('git', ['rev-parse', commit], { encoding: 'utf8' }).trim()
  console.log(hash)
  for (const { id, tag, text } of sampleOf(parseChecklist(readFileSync('docs/checklist.md', 'utf8')), hash))
    console.log(`${id} [${tag}] ${text}`)
}

if (import.meta.main) main(process.argv.slice(2))
