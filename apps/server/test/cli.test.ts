import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { hufu } from '../../../tools/run/product.ts'
import { envExample } from '../src/platform/config/env-example.ts'
import { parseKeys } from '../src/platform/crypto/secrets.ts'
import { createDatabase, fresh, testConfig, testKeys } from './test-app.ts'

let environment: Record<string, string>
beforeAll(async () => {
  const HUFU_DATABASE_URL = await createDatabase()
  const { redisUrl } = testConfig({ HUFU_DATABASE_URL })
  environment = { HUFU_DATABASE_URL, HUFU_REDIS_URL: redisUrl, HUFU_KEYS: testKeys(), HUFU_LOAD_SHEDDING: '0' }
})

test('a site is created, listed, changed and configured from the command line', { timeout: 60_000 }, async () => {
  const host = fresh.host()
  const origin = `https://${host}`
  const id = await hufu(environment, ['site', 'create', '--origin', origin, '--host', `www.${host}`])
  expect(await hufu(environment, ['site', 'list'])).toBe(`${id}  active  ${origin}  ${host} www.${host}`)

  await hufu(environment, ['site', 'set', host, '--status', 'disabled'])
  expect(await hufu(environment, ['site', 'list'])).toBe(`${id}  disabled  ${origin}  ${host} www.${host}`)

  const config = { name: '甲', mail: { host: 'smtp.example.com', password: 'p' } }
  expect(await hufu(environment, ['config', 'set', origin, '-'], JSON.stringify(config))).toBe('saved as version 2')
  expect(JSON.parse(await hufu(environment, ['config', 'get', id]))).toEqual({
    name: '甲',
    mail: { host: 'smtp.example.com', password: '********' },
  })
  expect(await hufu(environment, ['keys', 'rotate'])).toBe('0 configs and 0 sealed records re-sealed')
})

test('a config is saved only on top of the version that --based-on names', { timeout: 60_000 }, async () => {
  const site = await hufu(environment, ['site', 'create', '--origin', `https://${fresh.host()}`])
  const save = (name: string) =>
    hufu(environment, ['config', 'set', site, '-', '--based-on', '1'], JSON.stringify({ name }))
  expect(await save('甲')).toBe('saved as version 2')
  await expect(save('乙')).rejects.toThrow()
})

test('the password of a new user comes by standard input and keeps the rules', { timeout: 60_000 }, async () => {
  const site = await hufu(environment, ['site', 'create', '--origin', `https://${fresh.host()}`])
  const create = (password: string, username = fresh.username()) =>
    hufu(environment, ['user', 'create', '--site', site, '--username', username, '--password-stdin'], password)
  for (const ending of ['\n', '\r\n']) expect(await create(`Qy#2026autumn${ending}`)).toMatch(/^[0-9a-f-]{36}$/)
  for (const refused of ['short#1', 'Password#1\n']) await expect(create(refused)).rejects.toThrow()
  await expect(hufu(environment, ['user', 'create', '--site', site, '--password', 'Qy#2026autumn'])).rejects.toThrow()
})

test('a user is disabled by a number with its dial prefix', { timeout: 60_000 }, async () => {
  const site = await hufu(environment, ['site', 'create', '--origin', `https://${fresh.host()}`])
  const number = ['--site', site, '--prefix', '852', '--mobile', '91234567']
  const id = await hufu(environment, ['user', 'create', ...number])
  await hufu(environment, ['user', 'disable', ...number])
  const client = new Client({ connectionString: environment.HUFU_DATABASE_URL })
  await client.connect()
  const { rows } = await client.query('SELECT id, status FROM users WHERE site_id = $1', [site])
  await client.end()
  expect(rows).toEqual([{ id, status: 'disabled' }])
})

test('what is wrong is refused with a non-zero exit', { timeout: 60_000 }, async () => {
  await expect(hufu(environment, ['site', 'create', '--origin', 'https://x.example/path'])).rejects.toThrow()
  await expect(hufu(environment, ['config', 'get', 'unknown.example'])).rejects.toThrow()
  await expect(hufu(environment, ['fly'])).rejects.toThrow()
  await expect(hufu(environment, ['site', 'list', '--fly'])).rejects.toThrow()
  await expect(hufu({ ...environment, HUFU_KEYS: '1:c2hvcnQ=' }, ['site', 'list'])).rejects.toThrow()
})

test('a site under plain HTTP is for this machine alone', { timeout: 60_000 }, async () => {
  const create = (origin: string, more = {}) =>
    hufu({ ...environment, ...more }, ['site', 'create', '--origin', origin])
  const host = fresh.host()
  await expect(create(`http://${host}`)).rejects.toThrow()
  await expect(create('http://localhost.example.com')).rejects.toThrow()
  expect(await create(`http://${host}.localhost:8080`)).toMatch(/^[0-9a-f-]{36}$/)
  const id = await create(`https://${host}`)
  await expect(hufu(environment, ['site', 'set', id, '--origin', `http://${host}`])).rejects.toThrow()
  await hufu({ ...environment, HUFU_INSECURE_HTTP: '1' }, ['site', 'set', id, '--origin', `http://${host}`])
})

test('an example of the environment and a key are printed before anything is set up', { timeout: 60_000 }, async () => {
  const nothing = { HUFU_DATABASE_URL: '', HUFU_REDIS_URL: '', HUFU_KEYS: '' }
  expect(await hufu(nothing, ['env'])).toBe(envExample().trim())
  const [one, other] = [await hufu(nothing, ['key']), await hufu(nothing, ['key'])]
  expect(parseKeys(one).current).toBe('1')
  expect(one).not.toBe(other)
})
