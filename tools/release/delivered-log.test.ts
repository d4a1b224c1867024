import { once } from 'node:events'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pages } from '@hufu/contract/pages'
import { expect, onTestFinished, test } from 'vitest'
import { deliveredProxy, runNginx } from '../../verify/harness/nginx.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { project } from './dockerfile.ts'

const delivered = (name: string) => readFileSync(join(project, 'deploy/nginx', name), 'utf8')

async function startApi(): Promise<number> {
  const server = createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const secret = 'k3Jx9_qTz-0aVbN7mPwR4sYd2fGh8LcE6uXi1oWtQyA'

test('D109 the access log of the proxy holds no token, no code and no query', async () => {
  const folder = makeTemporaryFolder('log')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'access.log')
  writeFileSync(file, '')
  // Its workers run as another user.
  chmodSync(folder, 0o755)
  chmodSync(file, 0o666)
  const proxy = deliveredProxy([await startApi(), await startApi()])
  const nginx = await runNginx({
    ...proxy,
    upstream: `${proxy.upstream}\n${delivered('log.conf')}`,
    locations: `access_log ${file} hufu;\n${proxy.locations}`,
  })
  onTestFinished(nginx.stop)
  const paths = [
    ...Object.values(pages).map((page) => page.replace(/:(token|source|id)/, secret).replace(/:\w+/g, '1')),
    `/undo/${secret}`,
    `/undo/${secret}/more`,
    `/api/user/file/${secret}?x=1`,
    `/%64isown/${secret}`,
    `/login?code=${secret}&state=${secret}`,
    `/api/user/wechat/callback?code=short&state=${secret}`,
  ]
  for (const path of paths) expect((await fetch(nginx.url + path)).status, path).toBe(200)
  const log = () => readFileSync(file, 'utf8')
  await expect.poll(() => log().trim().split('\n').length).toBeGreaterThanOrEqual(paths.length)
  expect(log()).not.toContain(secret.slice(0, 20))
  expect(log()).not.toMatch(/[?]|short/)
  expect(log()).toMatch(/ GET \/recover\/stop\/- 200 /)
  expect(log()).toMatch(/ GET \/disown\/- 200 /)
  expect(log()).toMatch(/ GET \/user\/onlineDevices 200 /)
})

test('D109 the example of a site logs so on every port', () => {
  const example = delivered('site.conf.example')
  expect(example).toContain('include log.conf;')
  expect(example.match(/^server \{/gm)).toHaveLength(2)
  expect(example.match(/^ {2}access_log \S+ hufu;/gm)).toHaveLength(2)
  expect(example).toMatch(/^error_log \S+ crit;/m)
})

test('D109 the file of secrets is not for the repository', () => {
  expect(readFileSync(join(project, '.gitignore'), 'utf8').split('\n')).toContain('/deploy/hufu.env')
})
