import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { createDatabase } from '../../apps/server/test/test-app.ts'
import { driverTypes, schemaTypes, tablesFile } from './schema-types.ts'

async function query(databaseUrl: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  return await client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

const inTree = readFileSync(tablesFile, 'utf8')

test('the types of tables are those of the migrations', async () => {
  expect(await schemaTypes(await createDatabase())).toBe(inTree)
})

const changes: [string, string, string][] = [
  ['a new column', 'ALTER TABLE users ADD COLUMN planted text', '  planted: string | null\n'],
  [
    'a column that may be null',
    'ALTER TABLE users ALTER COLUMN status DROP NOT NULL',
    "  status: 'active' | 'disabled' | null\n",
  ],
  ['a column of another type', 'ALTER TABLE site_config ALTER COLUMN version TYPE bigint', '  version: string\n'],
  ['a new table', 'CREATE TABLE planted (user_id uuid NOT NULL)', 'interface PlantedTable {\n  user_id: UserId\n}\n'],
]
test.each(changes)('go red at %s without new types', async (_, change, line) => {
  const url = await createDatabase()
  await query(url, change)
  const types = await schemaTypes(url)
  expect(types).not.toBe(inTree)
  expect(types).toContain(line)
})

test('go red at a type that is not known yet', async () => {
  const url = await createDatabase()
  await query(url, 'ALTER TABLE users ADD COLUMN planted interval')
  await expect(schemaTypes(url)).rejects.toThrow('users.planted: add what the driver returns for interval')
})

test('the driver returns what the types say', async () => {
  const url = await createDatabase()
  const samples: Record<string, string> = {
    _text: "'{a}'",
    bool: 'true',
    bytea: "'\\x00'",
    date: 'now()',
    hll: 'hll_empty()',
    inet: "'10.0.0.1'",
    int2: '1',
    int4: '1',
    int8: '1',
    json: "'{}'",
    jsonb: "'{}'",
    text: "'a'",
    timestamptz: 'now()',
    uuid: 'gen_random_uuid()',
  }
  const list = Object.entries(samples).map(([type, sample]) => `${sample}::${type} AS ${type}`)
  const [row = {}] = await query(url, `SELECT ${list.join(', ')}`)
  const kinds: Record<string, string> = {
    String: 'string',
    Number: 'number',
    Boolean: 'boolean',
    Object: 'unknown',
    Array: 'string[]',
  }
  const returned = Object.entries(row).map(([type, value]) => {
    const kind = (value as object).constructor.name
    return [type, kinds[kind] ?? kind]
  })
  expect(Object.fromEntries(returned)).toEqual(driverTypes)
})
