import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { artefact, buildIn } from '../../../tools/run/build.ts'
import { hufu } from '../../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'

const root = join(import.meta.dirname, '../../..')

export type Row = Record<string, unknown>

export const jsonl = (rows: Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

export interface Refused {
  line: number
  field: string | null
  code: string
  message: string
  first?: number
  user?: string
}

/** The product's own command line, and the files that it reads and writes. */
export function importFiles(environment: Record<string, string>) {
  const folder = makeTemporaryFolder('import')
  const pathOf = (ending: string) => join(folder, `${randomUUID()}.${ending}`)

  function write(content: string | Buffer, ending = 'jsonl'): string {
    const path = pathOf(ending)
    writeFileSync(path, content)
    return path
  }
  const readRefused = async (path: string): Promise<Refused[]> =>
    (await readFile(path, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))

  /** What the command printed, and what its report says. */
  async function importFile(host: string, path: string, flags: string[] = []) {
    const report = pathOf('jsonl')
    const printed = await hufu(environment, ['users', 'import', host, path, '--report', report, ...flags])
    return { printed, refused: await readRefused(report) }
  }
  /** A command that goes on while the test does. */
  function start(args: string[]): ChildProcess {
    const { program, args: all, cwd, env } = buildIn(artefact ?? root).command(args)
    return spawn(...boundToParent(program, all), { cwd, env: { ...env, ...environment }, stdio: 'ignore' })
  }
  return { start, pathOf, write, readRefused, importFile, hufu: (args: string[]) => hufu(environment, args) }
}
