import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Postgres, postgresPrograms, startPostgres } from '../stores/postgres.ts'
import { type Sandbox, sandbox } from './deploy-sandbox.ts'

const deploy = join(import.meta.dirname, '../../deploy')

const shippedScripts = () =>
  globSync('**', { cwd: deploy, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => file.endsWith('.sh') || readFileSync(file, 'utf8').startsWith('#!'))
    .map((file) => file.slice(deploy.length + 1))
    .sort()

const small = { shared_buffers: '32MB', max_connections: '20' }

async function startServer(folder: string): Promise<Postgres> {
  const server = await startPostgres(folder, small)
  onTestFinished(() => server.stop())
  return server
}

async function query(server: Postgres, database: string, text: string) {
  const client = new Client({ connectionString: server.url + database })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

/** One row before the copy, one after it, one after the moment that is to come back. All changes are kept when it ends. */
async function keep({ folder, run, start }: Sandbox, server: Postgres): Promise<{ base: string; moment: string }> {
  const add = (text: string) => query(server, 'hufu', `INSERT INTO said VALUES ('${text}')`)
  await query(server, 'postgres', 'CREATE DATABASE hufu')
  await query(server, 'hufu', 'CREATE TABLE said (text text)')
  const keeping = start('keep-wal.sh', [folder], server.port)
  onTestFinished(keeping.stop)
  const fetched = (what: string) =>
    query(server, 'hufu', `SELECT ${what} AS yes FROM pg_stat_replication WHERE application_name = 'pg_receivewal'`)
  await expect.poll(() => fetched("state = 'streaming'"), { timeout: 30_000 }).toEqual([{ yes: true }])
  await add('before the copy')
  const { printed: base } = await run('backup.sh', [folder], server.port)
  await add('after the copy')
  const [{ moment }] = await query(server, 'hufu', 'SELECT clock_timestamp()::text AS moment')
  await add('after the moment')
  const [{ end }] = await query(server, 'hufu', 'SELECT pg_current_wal_flush_lsn() AS end')
  await expect.poll(() => fetched(`flush_lsn >= '${end}'`), { timeout: 30_000 }).toEqual([{ yes: true }])
  await keeping.stop()
  return { base, moment }
}

test('every script in deploy does its work on a real server, and none is left out', async () => {
  const scripts = sandbox()
  const { root, folder, run } = scripts
  const said = (server: Postgres, database: string) => query(server, database, 'SELECT text FROM said')
  const texts = ['before the copy', 'after the copy', 'after the moment'].map((text) => ({ text }))
  const server = await startServer(root)
  const { base, moment } = await keep(scripts, server)
  const { printed: dump } = await run('dump.sh', [folder], server.port)
  await run('restore-dump.sh', [dump, 'from_dump'], server.port)
  expect(await said(server, 'from_dump')).toEqual(texts)

  await run('forget.sh', [folder, '14'])
  await server.kill()
  const again = join(folder, 'again')
  await run('restore.sh', [base, join(folder, 'wal'), join(again, 'postgres'), moment])
  const restored = await startServer(again)
  const recovering = () => query(restored, 'postgres', 'SELECT pg_is_in_recovery() AS yes')
  await expect.poll(recovering, { timeout: 30_000 }).toEqual([{ yes: false }])
  expect(await said(restored, 'hufu')).toEqual(texts.slice(0, 2))
  await expect(run('restore.sh', [base, join(folder, 'wal'), join(again, 'postgres')])).rejects.toThrow()
  expect([...scripts.ran].sort()).toEqual(shippedScripts())
})

test('a copy that was damaged on its way is not kept as one', async () => {
  const damaging = `#!/bin/sh
${postgresPrograms()}/pg_basebackup "$@"
for given; do case $given in --pgdata=*) echo >>"\${given#*=}/PG_VERSION" ;; esac; done
`
  const { root, folder, run } = sandbox({ pg_basebackup: damaging })
  const server = await startServer(root)
  await expect(run('backup.sh', [folder], server.port)).rejects.toThrow('backup.sh failed')
  const copies = readdirSync(folder).filter((name) => name.startsWith('base'))
  expect(copies).toEqual([expect.stringMatching(/\.part$/)])
})
