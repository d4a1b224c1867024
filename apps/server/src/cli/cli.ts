#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { AppError } from '../platform/app-error.ts'
import { readConfig, readDecoderAddress } from '../platform/config/config.ts'
import { newKey } from '../platform/crypto/secrets.ts'

const usage = `hufu serve                                        answer calls and serve pages
hufu work                                         run background jobs
hufu draw                                         decode pictures for the others, under a user of its own
hufu migrate                                      bring the database up to this version
hufu env                                          print a commented example of the environment
hufu key                                          print a fresh key for HUFU_KEYS
hufu site create --origin https://id.example.com [--host other.example.com] [--config FILE]
hufu site list
hufu site set SITE [--origin …] [--host …] [--status active|disabled]
hufu config get SITE                              secrets are shown as ********
hufu config set SITE FILE [--based-on VERSION]    - reads standard input
hufu client list SITE                             who signs users in through this site
hufu client add SITE --id … --name … --kind web|spa|native|machine [--return URL]… [--logout-return URL]… [--scope profile|phone|email|offline_access]…
                of a machine: [--scope users:read|users:contact|users:write|sessions:revoke|feedback:read|feedback:write|events:read|config:read]…
                [--first-party] [--backchannel URL] [--pkce-optional] [--device]  prints the secret, once; first-party or not can't be changed later
hufu client rotate SITE --id … [--finish]         prints a new secret; the former one stays valid until --finish
hufu webhook list SITE                            where events are delivered to, and how far that is
hufu webhook rotate SITE --id … [--finish]        prints a new secret; the former one signs too until --finish
hufu webhook resume SITE --id …                   deliver again to an endpoint that was disabled
hufu user create --site SITE [--mobile 13800138000] [--prefix 86] [--email …] [--username …] [--nickname …] [--password-stdin]
hufu users import SITE FILE [--format jsonl|csv] [--dry-run] [--report FILE] [--rate ROWS]   resumes where it was interrupted; docs/importing.md
hufu users imports SITE                           imports, and how far they are
hufu users export SITE [--out FILE] [--format jsonl|csv] [--with-hashes]   every user, to standard output or a new file
hufu user disable|enable --site SITE --mobile …
hufu grant --site SITE --mobile … AREA ACTION[,ACTION]     e.g. MERCHANT READ,WRITE,ADMIN
hufu factor reset --site SITE --user ID|--mobile … --reason "…" --by NAME   an operator lost the second factor; prints the code to set up a new one
hufu keys rotate                                  seal every secret under the first key of HUFU_KEYS
hufu keys rotate --signing [--site SITE]          let the next signing key of OpenID Connect sign, on one site or all
hufu sealed read --site SITE --user ID --reason "…"         who signed in, of an account that was erased; recorded

SITE is an id, an origin or a host. Whatever changes something takes --by NAME, which stands in the operators' log; without it the name is that
of SUDO_USER or of the user of the machine.`

const options = {
  origin: { type: 'string' },
  host: { type: 'string', multiple: true },
  config: { type: 'string' },
  status: { type: 'string' },
  'based-on': { type: 'string' },
  site: { type: 'string' },
  mobile: { type: 'string' },
  prefix: { type: 'string' },
  email: { type: 'string' },
  username: { type: 'string' },
  nickname: { type: 'string' },
  'password-stdin': { type: 'boolean' },
  user: { type: 'string' },
  by: { type: 'string' },
  reason: { type: 'string' },
  id: { type: 'string' },
  name: { type: 'string' },
  kind: { type: 'string' },
  return: { type: 'string', multiple: true },
  'logout-return': { type: 'string', multiple: true },
  scope: { type: 'string', multiple: true },
  'first-party': { type: 'boolean' },
  backchannel: { type: 'string' },
  'pkce-optional': { type: 'boolean' },
  device: { type: 'boolean' },
  finish: { type: 'boolean' },
  signing: { type: 'boolean' },
  format: { type: 'string' },
  'dry-run': { type: 'boolean' },
  report: { type: 'string' },
  rate: { type: 'string' },
  out: { type: 'string' },
  'with-hashes': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

export type Options = ReturnType<typeof readArguments>['values']

const readArguments = () => parseArgs({ allowPositionals: true, options })

const print = (value: unknown) => console.log(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

/** One sentence without a stack trace: the operator can act on it. */
function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

/** Some errors have no message, such as a refused connection to a name with several addresses. */
function sentenceOf(error: Error & { code?: string }): string {
  if (error instanceof AppError) return `${error.code} ${JSON.stringify(error.details ?? {})}`
  if (error instanceof AggregateError && !error.message) return error.errors.map(String).join(', ')
  return error.message || String(error.code ?? error)
}

const products = {
  serve: async () => (await import('../main.ts')).serveProduct,
  work: async () => (await import('../worker.ts')).workProduct,
}

/**
 * Stores are checked after all modules are loaded: loading blocks the event loop, and their answers would seem to time
 * out.
 */
async function start(name: keyof typeof products): Promise<void> {
  const config = readConfig()
  const product = await products[name]()
  const { createLog } = await import('../platform/log.ts')
  const { checkStores } = await import('../platform/check-stores.ts')
  const log = createLog(config)
  await checkStores(config, log, fail)
  if (config.picturesBesideKeys)
    log.warn('HUFU_PICTURES is not set: pictures are decoded under the user that holds the keys; see docs/operating.md')
  await product(config, log)
}

const commands: Record<string, () => Promise<void>> = {
  serve: () => start('serve'),
  work: () => start('work'),
  async draw() {
    const address = readDecoderAddress()
    const { serveDecoder } = await import('../decoder.ts')
    await serveDecoder(address)
    print(`decoding pictures at ${'path' in address ? address.path : `${address.host}:${address.port}`}`)
  },
  async migrate() {
    const { databaseUrl } = readConfig()
    const { migrate } = await import('../platform/postgres/migrate.ts')
    await migrate(databaseUrl, print)
  },
  env: async () => print((await import('../platform/config/env-example.ts')).envExample()),
  key: async () => print(newKey()),
}

async function run(): Promise<void> {
  const { values, positionals } = readArguments()
  const [first] = positionals
  if (values.help || first === undefined) return print(usage)
  const command = commands[first]
  if (command) return await command()
  const { runCommand } = await import('./commands.ts')
  if (!(await runCommand(readConfig(), values, positionals, print))) throw new Error(`unknown command\n\n${usage}`)
}

await run().catch((error: Error) => fail(sentenceOf(error)))
