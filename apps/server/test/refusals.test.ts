import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { compileCache } from '../../../tools/run/build.ts'
import { ready, runHufu } from '../../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { type RedisStore, startRedis } from '../../../tools/stores/redis.ts'
import { startStores } from '../../../tools/stores/stores.ts'
import { startWithoutHll } from './postgres-without-hll.ts'
import { createDatabase, testConfig, testKeys } from './test-app.ts'

type Environment = Record<string, string>

const patiently = { timeout: 120_000 }
const cache = compileCache(join(import.meta.dirname, '../../..'))
const cli = join(import.meta.dirname, '../src/cli/cli.ts')

let environment: Environment
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  environment = { HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS: testKeys() }
})

/** What a command says on standard error until it ends by itself, and how it ends; one that goes on is killed. */
async function said(command: string, more: Environment): Promise<{ code: number | null; error: string }> {
  const env = { ...cache, ...environment, HUFU_PORT: String(await freePort()), ...more, PATH: process.env.PATH }
  return await new Promise((resolve) => {
    const child = execFile(
      ...boundToParent(process.execPath, [cli, command]),
      { env, timeout: 30_000 },
      (_error, _out, error) => resolve({ code: child.exitCode, error }),
    )
  })
}

/** Both refuse with the same sentence, one line, and a code that a supervisor sees. */
async function refused(more: Environment, sentence: string): Promise<void> {
  for (const command of ['serve', 'work'])
    expect(await said(command, more), command).toEqual({ code: 1, error: `${sentence}\n` })
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function emptyDatabase(postgresUrl = inject('postgresUrl')): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await query(`${postgresUrl}postgres`, `CREATE DATABASE ${name}`)
  return postgresUrl + name
}

/** A store in whose answers one word is replaced by another as long as it. */
async function disguised(url: string, word: string, by: string): Promise<string> {
  const target = new URL(url)
  const [port, host] = [Number(target.port), target.hostname]
  const server = createServer((near) => {
    const far = connect(port, host)
    const disguise = new Transform({
      transform: (bytes: Buffer, _, done) =>
        done(null, Buffer.from(bytes.toString('latin1').replaceAll(word, by), 'latin1')),
    })
    near.pipe(far)
    far.pipe(disguise).pipe(near)
    for (const end of [near, far]) end.on('error', () => {}).on('close', () => [near, far].map((one) => one.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  target.port = String((server.address() as AddressInfo).port)
  return target.href
}

async function ownRedis(): Promise<RedisStore & { client: Redis }> {
  const folder = makeTemporaryFolder('empty')
  const redis = await startRedis(folder)
  const client = new Redis(redis.url)
  onTestFinished(async () => {
    client.disconnect()
    await redis.stop()
    rmSync(folder, { recursive: true })
  })
  return { ...redis, client }
}

test('what is missing or weak in the environment is named, all of it at once', patiently, async () => {
  await refused(
    { HUFU_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`, HUFU_PORT: 'http' },
    `The environment isn't complete:
  HUFU_KEYS: key 1 is a sequence of bytes and could be guessed; use one of \`hufu key\` instead
  HUFU_PORT: Invalid input: expected number, received NaN`,
  )
})

test('a PostgreSQL without hll is refused, also by migrate, and the package is named', patiently, async () => {
  const server = await startWithoutHll()
  onTestFinished(server.stop)
  const more = { HUFU_DATABASE_URL: await emptyDatabase(server.url) }
  const sentence =
    'PostgreSQL lacks the extension hll: install it where PostgreSQL runs (Debian: apt-get install postgresql-15-hll), then run hufu migrate'
  await refused(more, sentence)
  expect(await said('migrate', more)).toEqual({ code: 1, error: `${sentence} again\n` })
})

test('a user who may not create hll is refused with who can, and goes on where it was created', patiently, async () => {
  const url = await emptyDatabase()
  const [role, name] = [`role_${randomUUID().slice(0, 8)}`, new URL(url).pathname.slice(1)]
  await query(
    url,
    `CREATE ROLE ${role} LOGIN; GRANT ALL ON DATABASE ${name} TO ${role}; GRANT ALL ON SCHEMA public TO ${role}`,
  )
  const more = { HUFU_DATABASE_URL: url.replace('postgres@', `${role}@`) }
  expect(await said('migrate', more)).toEqual({
    code: 1,
    error:
      'The user of HUFU_DATABASE_URL may not create the extension hll: let a superuser run CREATE EXTENSION hll in this database, then run hufu migrate again\n',
  })
  await query(url, 'CREATE EXTENSION hll')
  expect(await said('migrate', more)).toEqual({ code: 0, error: '' })
})

test('a database that has lost hll is refused', patiently, async () => {
  const url = await createDatabase()
  await query(url, 'DROP EXTENSION hll CASCADE')
  await refused(
    { HUFU_DATABASE_URL: url },
    'The database has lost its extension hll and what was kept in it: restore a backup',
  )
})

test('a PostgreSQL that is too old is refused, also by migrate', patiently, async () => {
  const more = {
    HUFU_DATABASE_URL: await disguised(environment.HUFU_DATABASE_URL ?? '', '\0\0\0\x0215', '\0\0\0\x0214'),
  }
  const sentence = 'HUFU_DATABASE_URL leads to PostgreSQL 14; use version 15 or a newer one'
  await refused(more, sentence)
  expect(await said('migrate', more)).toEqual({ code: 1, error: `${sentence}\n` })
})

test('a database behind this version is refused, one that is ahead is served', patiently, async () => {
  const url = await createDatabase()
  await query(url, "INSERT INTO migration (number, name, hash) VALUES (9999, '9999_later.sql', 'x')")
  const port = await freePort()
  const later = runHufu('serve', { ...environment, HUFU_DATABASE_URL: url, HUFU_PORT: String(port) })
  await ready(`http://127.0.0.1:${port}`, later).finally(later.stop)
  await query(url, 'DELETE FROM migration WHERE number = 2')
  const behind = (steps: string) => `The database is behind this version, it lacks ${steps}: run hufu migrate first`
  await refused({ HUFU_DATABASE_URL: url }, behind('0002_logs.sql'))
  const { code, error } = await said('serve', { HUFU_DATABASE_URL: await emptyDatabase() })
  expect([code, error]).toEqual([
    1,
    expect.stringMatching(/ lacks 0001_sites\.sql and \d+ more: run hufu migrate first\n$/),
  ])
})

test('a database that says no is refused in its own words', patiently, async () => {
  const url = environment.HUFU_DATABASE_URL ?? ''
  await refused(
    { HUFU_DATABASE_URL: url.replace(/\/\w+$/, '/nowhere') },
    'PostgreSQL refuses HUFU_DATABASE_URL: database "nowhere" does not exist',
  )
  const closedPort = `postgres://postgres@127.0.0.1:${await freePort()}/hufu`
  expect(await said('migrate', { HUFU_DATABASE_URL: closedPort })).toEqual({
    code: 1,
    error: expect.stringMatching(/^HUFU_DATABASE_URL: can't connect to PostgreSQL: .*ECONNREFUSED.*\n$/),
  })
})

test('a Redis that evicts, is too old or wants a password is refused', patiently, async () => {
  const { url, client } = await ownRedis()
  await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
  await refused(
    { HUFU_REDIS_URL: url },
    'HUFU_REDIS_URL leads to a Redis with maxmemory-policy allkeys-lru; set it to noeviction there',
  )
  const old = await disguised(url, 'redis_version:7.0.', 'redis_version:4.0.')
  const { error } = await said('serve', { HUFU_REDIS_URL: old })
  expect(error).toMatch(/^HUFU_REDIS_URL leads to Redis 4\.0\.\d+; use version 5 or a newer one\n$/)
  await client.config('SET', 'requirepass', 'secret')
  await refused({ HUFU_REDIS_URL: url }, 'Redis refuses the user or the password of HUFU_REDIS_URL (NOAUTH)')
})

test(
  'D108 a Redis on another machine that needs no password is refused, unless a setting allows it',
  patiently,
  async () => {
    const { url, client } = await ownRedis()
    // An address of this machine that is not taken for one.
    const host = `0.0.0.0:${new URL(url).port}`
    await refused(
      { HUFU_REDIS_URL: `redis://${host}` },
      `The environment isn't complete:
  HUFU_REDIS_URL: leads to another machine without a password; write redis://user:password@host, or set HUFU_REDIS_WITHOUT_PASSWORD=1 where nothing else can reach it`,
    )
    await client.acl('SETUSER', 'hufu', 'on', '>secret', '~*', '&*', '+@all')
    const named = { HUFU_REDIS_URL: `redis://hufu:secret@${host}` }
    await refused(
      named,
      'HUFU_REDIS_URL leads to a Redis that answers without a password as well; set one for its user default, or turn that user off',
    )
    const port = String(await freePort())
    const allowed = {
      ...environment,
      HUFU_REDIS_URL: `redis://${host}`,
      HUFU_REDIS_WITHOUT_PASSWORD: '1',
      HUFU_PORT: port,
    }
    const open = runHufu('serve', allowed)
    await ready(`http://127.0.0.1:${port}`, open).finally(open.stop)
    await client.acl('SETUSER', 'default', 'off')
    const closed = runHufu('serve', { ...environment, ...named, HUFU_PORT: port })
    await ready(`http://127.0.0.1:${port}`, closed).finally(closed.stop)
  },
)

test('plain HTTP is refused to a network', patiently, async () => {
  const plain = await said('serve', { HUFU_INSECURE_HTTP: '1', HUFU_HOST: '0.0.0.0' })
  expect(plain).toEqual({
    code: 1,
    error: expect.stringMatching(/\n {2}HUFU_INSECURE_HTTP: may be 1 only where .*\n$/),
  })
})

test('pages that are not there and a port that is taken are named', patiently, async () => {
  const empty = makeTemporaryFolder('empty')
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => rmSync(empty, { recursive: true }))
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  expect(await said('serve', { HUFU_WEB_FOLDER: empty })).toEqual({
    code: 1,
    error: `HUFU_WEB_FOLDER is ${empty}, which has no index.html; set it to the folder of the built pages\n`,
  })
  const { port } = taken.address() as AddressInfo
  expect(await said('serve', { HUFU_PORT: String(port) })).toEqual({
    code: 1,
    error: `Can't listen on HUFU_HOST and HUFU_PORT: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
  })
})

test('stores that are away are waited for, and refused where they come back unfit', patiently, async () => {
  const stores = await startStores()
  onTestFinished(stores.stop)
  const [url, port] = [await emptyDatabase(stores.postgres.url), String(await freePort())]
  await stores.postgres.kill()
  const more = { HUFU_DATABASE_URL: url, HUFU_PORT: port }
  const ended = said('serve', more)
  const health = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(health, { timeout: 20_000 }).toBe(200)
  await stores.postgres.start()
  expect(await ended).toEqual({ code: 1, error: expect.stringContaining('run hufu migrate first') })
})
