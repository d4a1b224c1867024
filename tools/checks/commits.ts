import { execFileSync } from 'node:child_process'

/** The last commit before subjects were checked. */
const before = '9f53ba9'

const conventional = /^(?:build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(?:\([a-z0-9-]+\))?!?: [a-z0-9]/

/** Why a subject doesn't pass, or undefined. A semicolon joins two purposes. */
export function faultOf(subject: string): string | undefined {
  if (subject.length > 72) return `${subject.length} characters, at most 72`
  if (!conventional.test(subject)) return 'not `type(scope): imperative`'
  return /;/.test(subject) ? 'two purposes' : undefined
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

function subjects(): string[] {
  try {
    return git('log', '--no-merges', '--format=%s', `${before}..HEAD`).split('\n').filter(Boolean)
  } catch {
    // Without this history, as in an unpacked archive or a shallow clone, there is nothing to check.
    return []
  }
}

function main(): number {
  const all = subjects()
  const faults = all.flatMap((subject) => {
    const fault = faultOf(subject)
    return fault ? [`${subject}: ${fault}`] : []
  })
  for (const fault of faults) console.error(fault)
  console.log(`${all.length} commit subjects read, ${faults.length} refused`)
  return faults.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = main()
