import { Client } from 'pg'
import type { Config } from '../../apps/server/src/platform/config/config.ts'

/**
 * A connection of its own to load tables with. The product's pool gives a statement seconds and a lock 400 ms; loading takes
 * minutes, and autovacuum holds the tables in between.
 */
export async function withLoadConnection(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query("SET work_mem = '256MB'; SET maintenance_work_mem = '1GB'")
    await work(client)
  } finally {
    await client.end()
  }
}
