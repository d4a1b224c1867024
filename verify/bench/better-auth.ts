import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { Redis } from 'ioredis'
import { Pool } from 'pg'

// The peer on the same stores: sessions in Redis as its secondary storage, users in PostgreSQL.
const redis = new Redis(process.env.HUFU_REDIS_URL ?? '')
const port = Number(process.env.PORT)
const options = {
  baseURL: `http://127.0.0.1:${port}`,
  secret: 'a-secret-of-the-bench-that-is-long-enough',
  database: new Pool({ connectionString: process.env.HUFU_DATABASE_URL }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  secondaryStorage: {
    get: (key: string) => redis.get(key),
    set: async (key: string, value: string, seconds?: number) => {
      if (seconds) await redis.set(key, value, 'EX', seconds)
      else await redis.set(key, value)
    },
    delete: async (key: string) => {
      await redis.del(key)
    },
    getAndDelete: (key: string) => redis.getdel(key),
    increment: (key: string) => redis.incr(key),
  },
}
await (await getMigrations(options)).runMigrations()
createServer(toNodeHandler(betterAuth(options))).listen(port, '127.0.0.1')
