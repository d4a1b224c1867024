// What an attacker in the decoder would do: loaded into it before its first line, it tries everything it may want and
// writes down what it got. `targets.json` beside it says what there is to be had.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const targets = JSON.parse(readFileSync(join(here, 'targets.json'), 'utf8'))

const tried = (work) => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const processes = (tried(() => readdirSync('/proc')) ?? []).filter(
  (name) => /^\d+$/.test(name) && name !== String(process.pid),
)
const of = (pid, file) => tried(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')) ?? ''

const reaches = ({ host, port }) =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const end = (open) => {
      socket.destroy()
      resolve(open)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })

const opened = []
for (const target of targets.network) if (await reaches(target)) opened.push(`${target.host}:${target.port}`)

const found = {
  uid: process.getuid(),
  own: process.env,
  environments: processes.map((pid) => of(pid, 'environ')).filter((text) => text.includes('HUFU_')),
  commands: processes.map((pid) => of(pid, 'cmdline')).filter((text) => text.includes('serve')),
  memories: processes.filter((pid) => of(pid, 'maps') !== ''),
  signalled: targets.pids.filter((pid) => tried(() => process.kill(pid, 0))),
  network: opened,
  interfaces: Object.keys(networkInterfaces()),
  files: targets.files.filter((file) => tried(() => readFileSync(file)) !== undefined),
  written: targets.folders.filter((folder) => tried(() => writeFileSync(join(folder, 'x'), 'x') ?? true)),
}
writeFileSync(targets.report, JSON.stringify(found))
