import { openSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { type Config, readConfig } from '../../apps/server/src/platform/config/config.ts'
import { createLog } from '../../apps/server/src/platform/log.ts'
import { createDeps, type Deps } from '../../apps/server/src/shared/deps.ts'
import {
  type Environment,
  type Ground,
  hufu,
  layGround,
  type Running,
  ready,
  runHufu,
} from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'

/** The environment of a benchmark; everything started through it is stopped together. */
export interface BenchGround {
  ground: Ground
  started: { stop(): Promise<void> }[]
  /** A migrated database of its own, and the environment that points at it. */
  database(name: string): Promise<Environment>
  /** The product's own parts over a database, to fill it and to call it; no call of theirs is shed. */
  deps(environment: Environment): Promise<Deps>
  /** A serving process that logs to a file, as in production. */
  server(environment: Environment): Promise<{ url: string; running: Running; config: Config }>
  stop(): Promise<void>
}

export async function layBenchGround(settings: Record<string, string> = {}): Promise<BenchGround> {
  const ground = await layGround(settings)
  const started: { stop(): Promise<void> }[] = [ground]
  const log = openSync(join(ground.stores?.folder ?? '.', 'bench.log'), 'a')
  return {
    ground,
    started,
    async database(name) {
      const admin = new Client({ connectionString: ground.environment.HUFU_DATABASE_URL })
      await admin.connect()
      await admin.query(`CREATE DATABASE ${name}`)
      await admin.end()
      const address = new URL(ground.environment.HUFU_DATABASE_URL ?? '')
      address.pathname = `/${name}`
      const environment = { ...ground.environment, HUFU_DATABASE_URL: address.href }
      await hufu(environment, ['migrate'])
      return environment
    },
    async deps(environment) {
      const config = readConfig(environment)
      const deps = await createDeps(config, createLog({ logLevel: 'silent' }), 'work')
      started.push({ stop: deps.close })
      return deps
    },
    async server(environment) {
      const port = await freePort()
      const own = { ...environment, HUFU_PORT: String(port), HUFU_LOG_LEVEL: 'info' }
      const running = runHufu('serve', own, [], log)
      started.push(running)
      await ready(`http://127.0.0.1:${port}`, running)
      return { url: `http://127.0.0.1:${port}`, running, config: readConfig(own) }
    },
    async stop() {
      for (const part of started.toReversed()) await part.stop()
    },
  }
}
