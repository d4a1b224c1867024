import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { inTheClear } from './unencrypted-stores.ts'

test.each([
  'postgres://hufu:secret@127.0.0.1:5432/hufu',
  'postgres://hufu@localhost/hufu',
  'postgres://hufu@%2Fvar%2Frun%2Fpostgresql/hufu',
  'postgres:///hufu',
  'postgres://hufu:a%40b@db.internal/hufu?sslmode=verify-full',
  'postgres://hufu@one.internal:5432,two.internal:5432/hufu?application_name=x&sslmode=verify-full',
  'redis://[::1]:6379',
  'redis+cluster://127.0.0.1:1,127.0.0.1:2',
  'rediss://user:secret@cache.internal:6379/0',
  'rediss+cluster://one.internal:1,two.internal:2',
])('%s stays on this machine or is encrypted', (address) => {
  expect(inTheClear({ HUFU_X: address })).toEqual([])
})

test.each([
  'postgres://hufu:secret@10.0.0.5:5432/hufu',
  'postgres://hufu@db.internal/hufu?sslmode=no-verify',
  'postgres://hufu@db.internal/hufu?sslmode=prefer',
  'postgres://127.0.0.1@db.internal/hufu',
  'postgres://localhost,db.internal/hufu',
  'redis://localhost@cache.internal:6379',
  'redis+cluster://127.0.0.1:1,cache.internal:2',
])('%s is named', (address) => {
  expect(inTheClear({ HUFU_X: address })).toEqual(['HUFU_X'])
})

test('where TLS is demanded, an address in the clear is refused by name', () => {
  const environment = {
    HUFU_DATABASE_URL: 'postgres://hufu@db.internal/hufu',
    HUFU_REDIS_URL: 'rediss://hufu:secret@cache.internal',
    HUFU_KEYS: `1:${randomBytes(32).toString('base64')}`,
  }
  expect(readConfig(environment).inTheClear).toEqual(['HUFU_DATABASE_URL'])
  expect(() => readConfig({ ...environment, HUFU_REQUIRE_TLS: '1' })).toThrow(/HUFU_DATABASE_URL/)
  const encrypted = `${environment.HUFU_DATABASE_URL}?sslmode=verify-full`
  expect(readConfig({ ...environment, HUFU_DATABASE_URL: encrypted, HUFU_REQUIRE_TLS: '1' }).inTheClear).toEqual([])
})
