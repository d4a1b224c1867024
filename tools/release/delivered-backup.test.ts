import { execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asItsUser, type Postgres, postgresPrograms, startPostgres } from '../stores/postgres.ts'

let folder: string
let scripts: string
let postgres: Postgres
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hufu-delivered-'))
  chmodSync(folder, 0o755)
  // A copy: the user of PostgreSQL may not see the folder of the sources.
  scripts = join(folder, 'scripts')
  cpSync(join(import.meta.dirname, '../../deploy/backup'), scripts, { recursive: true })
  postgres = await startPostgres(folder)
})
afterAll(async () => {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A folder that the user of PostgreSQL may write to. */
function ownFolder(name: string): string {
  const made = join(folder, name)
  mkdirSync(made)
  const { uid, gid } = asItsUser()
  if (uid !== undefined && gid !== undefined) chownSync(made, uid, gid)
  return made
}

const surroundings = (programs = '') => ({
  ...asItsUser(),
  cwd: '/',
  env: {
    PATH: `${programs}${postgresPrograms()}:/usr/bin:/bin`,
    PGHOST: '127.0.0.1',
    PGPORT: String(postgres.port),
    PGUSER: 'postgres',
  },
})

const run = async (script: string, args: string[], programs?: string): Promise<string> =>
  (await promisify(execFile)(join(scripts, script), args, surroundings(programs))).stdout.trim()

async function ask({ url }: Postgres, text: string) {
  const client = new Client({ connectionString: `${url}postgres` })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

test('a copy that was damaged on its way is not kept as one', async () => {
  const kept = ownFolder('damaged')
  const programs = ownFolder('programs')
  const real = join(postgresPrograms() ?? '', 'pg_basebackup')
  writeFileSync(
    join(programs, 'pg_basebackup'),
    `#!/bin/sh\n${real} "$@"\nfor given; do case $given in --pgdata=*) echo >>"\${given#*=}/PG_VERSION" ;; esac; done\n`,
    { mode: 0o755 },
  )
  await expect(run('backup.sh', [kept], `${programs}:`)).rejects.toThrow('pg_verifybackup')
  expect(readdirSync(kept).filter((name) => !name.endsWith('.part'))).toEqual([])
})

test('what was written last before the server was lost comes back, also from a piece that is not full', async () => {
  const kept = ownFolder('kept')
  const fetching = spawn(join(scripts, 'keep-wal.sh'), [kept], { ...surroundings(), stdio: 'ignore' })
  const ended = new Promise((resolve) => fetching.once('exit', resolve))
  const fetched = async () =>
    (await ask(postgres, 'SELECT FROM pg_stat_replication WHERE flush_lsn >= pg_current_wal_lsn()')).length
  await expect.poll(fetched, { timeout: 30_000 }).toBe(1)
  const base = await run('backup.sh', [kept])
  await ask(postgres, "CREATE TABLE last AS SELECT 'words' AS said")
  await expect.poll(fetched, { timeout: 30_000 }).toBe(1)
  await postgres.kill()
  fetching.kill('SIGINT')
  await ended

  await run('restore.sh', [base, join(kept, 'wal'), join(ownFolder('again'), 'postgres')])
  const server = await startPostgres(join(folder, 'again'))
  const recovering = async () => (await ask(server, 'SELECT pg_is_in_recovery() AS yes'))[0]?.yes
  await expect.poll(recovering, { timeout: 30_000 }).toBe(false)
  const said = await ask(server, "SELECT table_name FROM information_schema.tables WHERE table_name = 'last'")
  await server.stop()
  expect(said).toEqual([{ table_name: 'last' }])
})
