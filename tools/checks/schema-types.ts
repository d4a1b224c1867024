import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../apps/server/src/platform/postgres/migrate.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { startPostgres } from '../stores/postgres.ts'

export const tablesFile = join(import.meta.dirname, '../../apps/server/src/platform/postgres/tables.ts')

interface Column {
  table: string
  column: string
  type: string
  nullable: boolean
  /** The constraint of this column alone that lists its values. */
  listed: string | null
}

/** What the driver returns, by the type of PostgreSQL: the product sets no parsers of its own. */
export const driverTypes: Record<string, string> = {
  _text: 'string[]',
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  hll: 'string',
  inet: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'string',
  json: 'unknown',
  jsonb: 'unknown',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
}

/** Columns with a type of apps/server/src/platform/ids.ts, by their name or by table and name. */
const ownTypes: Record<string, string> = {
  site_id: 'SiteId',
  user_id: 'UserId',
  session_id: 'SessionId',
  'site.id': 'SiteId',
  'users.id': 'UserId',
  'session.id': 'SessionId',
  'identity.kind': 'IdentityKind',
  'user_identity.kind': 'IdentityKind',
}

/** `'active' | 'disabled'` of a constraint that lists texts. */
const listedTexts = (constraint: string | null): string | undefined =>
  constraint?.match(/'[^']*'(?=::text)/g)?.join(' | ')

function typeOf({ table, column, type, nullable, listed }: Column): string {
  const known = ownTypes[`${table}.${column}`] ?? ownTypes[column] ?? listedTexts(listed) ?? driverTypes[type]
  if (!known)
    throw new Error(`${table}.${column}: add what the driver returns for ${type} to tools/checks/schema-types.ts`)
  return nullable && known !== 'unknown' ? `${known} | null` : known
}

/** Partitions have the columns of their table. Only a validated constraint holds for every row. */
const columns = `
  SELECT c.relname AS table, a.attname AS column, t.typname AS type, NOT a.attnotnull AS nullable, (
    SELECT pg_get_constraintdef(k.oid) FROM pg_constraint k
    WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.convalidated AND k.conkey = ARRAY[a.attnum]
      AND pg_get_constraintdef(k.oid) LIKE 'CHECK ((% = ANY (ARRAY[%])))' ORDER BY k.conname LIMIT 1) AS listed
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY c.relname COLLATE "C", a.attnum`

const nameOf = (table: string): string =>
  `${table.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Table`

const interfaceOf = (table: string, its: Column[]): string =>
  `interface ${nameOf(table)} {\n${its.map((each) => `  ${each.column}: ${typeOf(each)}\n`).join('')}}\n`

/** The text of tables.ts for a database with all migrations. */
export async function schemaTypes(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<Column>(columns).finally(() => client.end())
  const tables = [...Map.groupBy(rows, ({ table }) => table)]
  return `// Generated from the migrations by \`pnpm schema-types\`: run it after adding one, and don't edit this file.
import type { IdentityKind, SessionId, SiteId, UserId } from '../ids.ts'

/** The product's tables, with their columns as the driver returns them. */
export interface Tables {
${tables.map(([table]) => `  ${table}: ${nameOf(table)}\n`).join('')}}

${tables.map(([table, its]) => interfaceOf(table, its)).join('\n')}`
}

async function main(): Promise<void> {
  const folder = makeTemporaryFolder('schema-types')
  chmodSync(folder, 0o755)
  const postgres = await startPostgres(folder)
  try {
    await migrate(`${postgres.url}postgres`, () => {})
    writeFileSync(tablesFile, await schemaTypes(`${postgres.url}postgres`))
  } finally {
    await postgres.stop()
  }
}

if (import.meta.main) await main()
