import { open } from 'node:fs/promises'
import { stdout } from 'node:process'
import { findSite } from '../features/site/site.service.ts'
import type { FileFormat } from '../features/users-import/read-batches.ts'
import { type ExportRequest, exportUsers } from '../features/users-import/users-export.service.ts'
import { importUsers, pastImports, type Watched } from '../features/users-import/users-import.service.ts'
import type { Config } from '../platform/config/config.ts'
import { connectForLong } from '../platform/postgres/db.ts'
import type { Options } from './cli.ts'
import { type Command, type Print, required } from './command.ts'
import { followProgress } from './file-progress.ts'

const formats: readonly FileFormat[] = ['jsonl', 'csv']

/** By --format, else by the end of the file's name. */
function formatOf(options: Options, path: string | undefined): FileFormat {
  const named = options.format ?? path?.split('.').at(-1)?.toLowerCase()
  const format = formats.find((each) => each === named)
  if (!format) throw new Error('--format is jsonl or csv')
  return format
}

function rateOf({ rate }: Options): number | undefined {
  if (rate === undefined) return undefined
  if (!/^[1-9]\d{0,6}$/.test(rate)) throw new Error('--rate is a number of rows a second')
  return Number(rate)
}

/** On connections of its own. */
async function withConnections<Result>(
  config: Config,
  work: (deps: { db: ReturnType<typeof connectForLong> }) => Promise<Result>,
): Promise<Result> {
  const db = connectForLong(config)
  return await work({ db }).finally(() => db.destroy())
}

const number = (value: number) => value.toLocaleString('en-US')

/** What operators do with the users of a site as a whole. */
export const userFileCommands = (options: Options, operator: string, print: Print): Record<string, Command> => ({
  async 'users import'(deps, [site, path]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const file = required(path, 'FILE')
    if (file === '-') throw new Error('an import needs a file: only a file can be resumed')
    const dryRun = options['dry-run'] ?? false
    const report = options.report ?? `${file}.${dryRun ? 'dry-run' : 'refused'}.jsonl`
    const request = { path: file, format: formatOf(options, file), report, dryRun, rate: rateOf(options), operator }
    let progress = followProgress()
    const watched: Watched = {
      resumed({ bytes, lines, imported, refused }) {
        console.error(`resumed after line ${number(lines)}`)
        progress = followProgress({ done: bytes, rows: imported + refused })
      },
      step: ({ bytes, size, imported, refused }) =>
        progress.show({ done: bytes, all: size, rows: imported + refused, note: `${number(refused)} refused` }),
    }
    const { imported, refused } = await withConnections(deps.config, (own) =>
      importUsers(own, siteId, request, watched),
    ).finally(() => progress.end())
    print(`${number(imported)} users ${dryRun ? 'can be imported' : 'imported'}, ${number(refused)} rows refused`)
    if (refused > 0) print(`why: ${report}`)
  },
  async 'users imports'(deps, [site]) {
    for (const past of await pastImports(deps, await findSite(deps, required(site, 'SITE')))) {
      const { id, operator: by, started, finished, imported, refused, lines } = past
      const state = finished ? `finished ${finished}` : `unfinished after line ${lines}`
      print(`${id}  ${started}  ${by}  ${imported} imported, ${refused} refused  ${state}`)
    }
  },
  async 'users export'(deps, [site]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const path = options.out
    const format = options.format === undefined && path === undefined ? 'jsonl' : formatOf(options, path)
    // Never over another file, and readable by its owner alone.
    const file = path === undefined ? undefined : await open(path, 'wx', 0o600)
    const progress = followProgress()
    const request: ExportRequest = {
      format,
      withHashes: options['with-hashes'] ?? false,
      operator,
      write: async (text) => (file ? await file.appendFile(text) : await writeOut(text)),
      step: (done, all) => progress.show({ done, all, rows: done }),
    }
    const count = await withConnections(deps.config, (own) => exportUsers(own, siteId, request)).finally(async () => {
      progress.end()
      await file?.sync()
      await file?.close()
    })
    console.error(`${number(count)} users exported; the operator log has it, and every ADMIN is notified`)
  },
})

/** Waits for a reader that is slower than the database; its end ends the export. */
const writeOut = (text: string): Promise<void> =>
  new Promise((resolve, reject) => stdout.write(text, (error) => (error ? reject(error) : resolve())))
