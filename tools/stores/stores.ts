import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { type Postgres, postgresPrograms, startPostgres } from './postgres.ts'
import { type RedisStore, startRedis, startRedisCluster } from './redis.ts'

export interface Stores {
  postgres: Postgres
  redis: RedisStore
  cluster: RedisStore | undefined
  folder: string
  stop(): Promise<void>
}

/** Names the Debian packages that are missing, so that a command can say so instead of failing halfway. */
export function missingPackages(): string[] {
  const missing: string[] = []
  const programs = postgresPrograms()
  if (!programs) missing.push('postgresql-15')
  if (!existsSync('/usr/share/postgresql/15/extension/hll.control')) missing.push('postgresql-15-hll')
  for (const [program, name] of [
    ['redis-server', 'redis-server'],
    ['redis-cli', 'redis-tools'],
  ] as const) {
    try {
      execFileSync('which', [program], { stdio: 'ignore' })
    } catch {
      missing.push(name)
    }
  }
  return missing
}

/** Own PostgreSQL and Redis on free ports under a temporary folder; `stop` ends them and removes the folder. */
export async function startStores({ cluster = false, settings = {} as Record<string, string> } = {}): Promise<Stores> {
  const missing = missingPackages()
  if (missing.length > 0) {
    throw new Error(`Missing system packages: apt-get install -y --no-install-recommends ${missing.join(' ')}`)
  }
  const folder = makeTemporaryFolder('stores')
  chmodSync(folder, 0o755)
  const [postgres, redis, redisCluster] = await Promise.all([
    startPostgres(folder, settings),
    startRedis(folder),
    cluster ? startRedisCluster(folder) : undefined,
  ])
  async function stop() {
    await Promise.all([postgres.stop(), redis.stop(), redisCluster?.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
  return { postgres, redis, cluster: redisCluster, folder, stop }
}
