import { appendFileSync, cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildArtefact } from '../release/build.ts'
import { type Block, blocksOf } from './blocks.ts'
import { type Debian, emptyDebian } from './debian.ts'

// Follows "Install in ten minutes" of docs/operating.md word for word in an empty Debian 12, opens the site through nginx, signs
// the first operator in and prints how long each step took. --archive FILE takes a release that is there already.

const { values } = parseArgs({ options: { archive: { type: 'string' } } })
const host = 'id.example.com'
const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1).padStart(6)

/** What an operator has before the first line: a server, a name that leads to it, and the release. */
function give(debian: Debian, archive: string): void {
  const home = join(debian.root, 'root')
  cpSync(archive, join(home, basename(archive)))
  cpSync(`${archive}.sha256`, join(home, `${basename(archive)}.sha256`))
  appendFileSync(join(debian.root, 'etc/hosts'), `127.0.0.1 localhost ${host}\n`)
  mkdirSync(join(debian.root, 'usr/local/bin'), { recursive: true })
  cpSync(join(import.meta.dirname, 'systemctl'), join(debian.root, 'usr/local/bin/systemctl'))
}

const curl = `curl --silent --show-error --cacert /etc/nginx/hufu.crt --cookie jar --cookie-jar jar`
const call = (path: string, body: string) =>
  `${curl} --header 'content-type: application/json' --header 'origin: https://${host}' --data ${body} https://${host}${path}`

interface Answer {
  code?: string
  data?: { id?: string; userCount?: number }
}

/** Signs in as the guide says. */
function signIn(debian: Debian): string {
  const body = `"{\\"account\\":\\"13800138000\\",\\"password\\":\\"$(cat first-password)\\"}"`
  const signedIn = JSON.parse(debian.run(call('/api/login/password', body))) as Answer
  if (!signedIn.data?.id) throw new Error(`signing in was answered ${JSON.stringify(signedIn)}`)
  const page = debian.run(`${curl} --fail https://${host}/login`)
  if (!page.includes('<title>')) throw new Error('the page of signing in has no title')
  return signedIn.data.id
}

/** Asks for something that only operators get. */
function openBackOffice(debian: Debian): void {
  const home = JSON.parse(debian.run(call('/api/merchant/home', "'{}'"))) as Answer
  if (home.data?.userCount === undefined) throw new Error(`the back-office answered ${JSON.stringify(home)}`)
}

function follow(debian: Debian, blocks: Block[]): void {
  for (const { title, commands } of blocks) {
    const step = performance.now()
    debian.run(commands, 'inherit')
    console.log(`${seconds(step)} s  ${title}`)
  }
}

const blocks = blocksOf('docs/operating.md', 'try')
if (blocks.length === 0) throw new Error('docs/operating.md has no blocks to follow')
const archive = values.archive ?? (await buildArtefact()).archive
console.log('an empty Debian 12 …')
const began = performance.now()
const debian = await emptyDebian()
try {
  give(debian, archive)
  console.log(`${seconds(began)} s  not counted: a server with Debian 12`)
  const started = performance.now()
  follow(debian, blocks)
  const step = performance.now()
  const id = signIn(debian)
  openBackOffice(debian)
  console.log(`${seconds(step)} s  operator ${id} signed in through https://${host} and opened the back-office`)
  console.log(`${seconds(started)} s  in all`)
  // What is done months later, with a user signed in all the time.
  follow(debian, blocksOf('docs/operating.md', 'later'))
  openBackOffice(debian)
} catch (error) {
  console.error(debian.run('tail -n 20 /var/log/hufu-*.log /var/log/nginx/error.log 2>&1 || true'))
  throw error
} finally {
  await debian.stop()
}
