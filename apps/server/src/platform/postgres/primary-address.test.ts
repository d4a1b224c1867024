import { expect, inject, test } from 'vitest'
import { isDatabaseUnavailable } from './db.ts'
import { clientTo, routeTo } from './find-primary.ts'

test('one host alone is believed as it is written, with its account and options; what would lead to readers is refused', () => {
  const one = 'postgres://hufu:p%40ss@db.example.com:6543/hufu?sslmode=verify-full&application_name=x'
  expect(routeTo(one).connection.connectionString).toBe(one)
  const several =
    'postgresql://hufu:p%40ss@[::1],b.example.com:6543/hufu?sslmode=verify-full&target_session_attrs=primary'
  expect(routeTo(several).connection.connectionString).toBe(several.replace(',b.example.com:6543', ''))
  expect(new (routeTo(several).connection.Client)(routeTo(several).connection)).toMatchObject({
    user: 'hufu',
    password: 'p@ss',
    database: 'hufu',
    ssl: {},
  })
  expect(() => routeTo(several.replace('primary', 'any'))).toThrow('read-write')
})

test("a server that ends a connection couldn't serve; one that refuses a statement could", async () => {
  const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error) => error)
  const refused = await failureOf(clientTo(`${inject('postgresUrl')}nowhere`, 'test').connect())
  expect(refused).toMatchObject({ severity: 'FATAL' })
  expect(isDatabaseUnavailable(refused)).toBe(true)
  const client = clientTo(`${inject('postgresUrl')}postgres`, 'test')
  await client.connect()
  expect(isDatabaseUnavailable(await failureOf(client.query('SELECT nothing')))).toBe(false)
  await client.end()
})
