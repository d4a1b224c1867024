import { buildApp } from '../../apps/server/src/app.ts'
import { readConfig } from '../../apps/server/src/platform/config/config.ts'
import { createDeps } from '../../apps/server/src/shared/deps.ts'
import type { Usage } from '../../apps/server/src/shared/usage/usage.ts'

// The product, counting usage or, with COUNT=0, built on a usage that counts nothing.
const nothing: Usage = {
  countPage() {},
  countCall() {},
  countAccess() {},
  countAuthorized() {},
  countStep() {},
  async flush() {},
  async close() {},
}
const config = readConfig({ ...process.env, HUFU_PORT: process.env.PORT })
const deps = await createDeps(config)
const app = buildApp(process.env.COUNT === '0' ? { ...deps, usage: nothing } : deps)
await app.listen({ host: config.host, port: config.port })
