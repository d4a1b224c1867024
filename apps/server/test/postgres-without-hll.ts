import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../tools/stores/ports.ts'
import { asItsUser } from '../../../tools/stores/postgres.ts'

const programs = '/usr/lib/postgresql/15'
const shared = '/usr/share/postgresql/15'

/** PostgreSQL looks for its extensions beside its own program: a copy of that, and links to all but one of them. */
function installation(folder: string): string {
  const own = { programs: join(folder, 'lib/postgresql/15'), shared: join(folder, 'share/postgresql/15') }
  mkdirSync(join(own.shared, 'extension'), { recursive: true })
  cpSync(join(programs, 'bin'), join(own.programs, 'bin'), { recursive: true })
  symlinkSync(join(programs, 'lib'), join(own.programs, 'lib'))
  const link = (path: string) => symlinkSync(join(shared, path), join(own.shared, path))
  for (const name of readdirSync(shared)) if (name !== 'extension') link(name)
  for (const name of readdirSync(join(shared, 'extension'))) if (!name.startsWith('hll')) link(`extension/${name}`)
  return join(own.programs, 'bin')
}

/** A server of somebody who hasn't installed postgresql-15-hll. */
export async function startWithoutHll(): Promise<{ url: string; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'hufu-without-hll-'))
  chmodSync(folder, 0o755)
  const bin = installation(folder)
  const [data, port, user] = [join(folder, 'data'), await freePort(), asItsUser()]
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) chownSync(data, user.uid, user.gid)
  const run = (program: string, ...args: string[]) =>
    execFileSync(join(bin, program), ['-D', data, ...args], { ...user, cwd: '/', stdio: 'ignore' })
  run('initdb', '-A', 'trust', '-U', 'postgres', '--no-sync')
  run('pg_ctl', '-w', '-o', `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`, 'start')
  function stop() {
    run('pg_ctl', '-m', 'immediate', 'stop')
    rmSync(folder, { recursive: true })
  }
  return { url: `postgres://postgres@127.0.0.1:${port}/`, stop }
}
