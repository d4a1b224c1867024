import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { type Postgres, startPostgres } from '../../../tools/stores/postgres.ts'

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

/** A server without the extension postgresql-15-hll. */
export async function startWithoutHll(): Promise<Pick<Postgres, 'url' | 'stop'>> {
  const folder = makeTemporaryFolder('without-hll')
  chmodSync(folder, 0o755)
  const { url, stop } = await startPostgres(folder, {}, installation(folder))
  return {
    url,
    async stop() {
      await stop()
      rmSync(folder, { recursive: true })
    },
  }
}
