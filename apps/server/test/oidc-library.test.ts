import { existsSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { oidcRoutes } from '@hufu/contract/oidc'
import { meta } from '@hufu/contract/site'
import { expect, inject, onTestFinished, test } from 'vitest'
import { ready, runHufu } from '../../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../../tools/run/temporary-folder.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { back, oidcClients, secretOf } from './oidc.ts'
import { createDatabase, startTestApp, testKeys } from './test-app.ts'

/** Writes down each time that the library, or anything of it, is imported. */
const hook = `import { registerHooks } from 'node:module'
import { appendFileSync } from 'node:fs'
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (/node_modules.(oidc-provider|koa|jose)./.test(found.url)) appendFileSync(process.env.LOADED, specifier + '\\n')
    return found
  },
})`

/** What a server with a host of our choice answers; fetch won't send one. */
const statusOf = (port: number, host: string, path: string, method = 'GET') =>
  new Promise<number>((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', reject)
    asked.end(method === 'POST' ? '{}' : undefined)
  })

test('D295 without a client of OpenID Connect its routes answer 404, and the library is never loaded', async () => {
  const [database, keys] = [await createDatabase(), testKeys()]
  const t = await startTestApp({ HUFU_DATABASE_URL: database, HUFU_KEYS: keys })
  onTestFinished(() => t.close())
  const plain = await t.site({ clients: [{ id: 'shop', name: '青屿商城', secret: secretOf('shop'), returns: [back] }] })
  const loaded = join(makeTemporaryFolder('loaded'), 'loaded')
  const port = await freePort()
  const environment = {
    HUFU_DATABASE_URL: database,
    HUFU_REDIS_URL: inject('redisUrl'),
    HUFU_KEYS: keys,
    HUFU_PORT: String(port),
    HUFU_LOG_LEVEL: 'warn',
    LOADED: loaded,
  }
  const server = runHufu('serve', environment, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`])
  onTestFinished(() => server.stop())
  await ready(`http://127.0.0.1:${port}`, server)

  expect(await statusOf(port, plain.host, meta.path, 'POST')).toBe(200)
  for (const { path, methods } of oidcRoutes) expect(await statusOf(port, plain.host, path, methods[0]), path).toBe(404)
  expect(existsSync(loaded)).toBe(false)

  const client = await t.site({ clients: oidcClients })
  await expect
    .poll(() => statusOf(port, client.host, '/.well-known/openid-configuration'), { timeout: 20_000 })
    .toBe(200)
  expect(readFileSync(loaded, 'utf8')).toContain('oidc-provider\n')
})
